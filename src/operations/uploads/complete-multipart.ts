import type { Call, Ctx, TxCtx } from "../../context.ts";
import { type UploadResult, uploadResult } from "../../contract/files.ts";
import type { Input } from "../../contract/index.ts";
import type { PublishInput } from "../../contract/publish.ts";
import type { UploadPartRow } from "../../db/tables/uploads.ts";
import { moveSession } from "../../db/upload-sessions.ts";
import type { Actor } from "../../domain/actor.ts";
import { toFileName } from "../../domain/filename.ts";
import { type PublishSettings, resolvePublish } from "../../domain/publish.ts";
import { AppError } from "../../errors.ts";
import { listLiving } from "../../instance.ts";
import { checkFolder } from "../folders/own-folder.ts";
import type { Operation } from "../operation.ts";
import { findPlan, mergePlan, readPlan } from "../shares/planned-share.ts";
import { bareEtag, listArrived, recordArrived } from "./arrived-parts.ts";
import { detectContentType, SNIFF_BYTES } from "./content-type.ts";
import { fileDigestMismatch, finishUpload } from "./finish-upload.ts";
import { readHead } from "./read-head.ts";
import { checkStillHere, getSession, type OwnedSession, stagedBlob } from "./session.ts";
import { toUploadResult } from "./upload-result.ts";

/** `POST /files/multipart/complete`: a check, an fsync and a rename; the same answer again for a day. */
export const completeMultipart: Operation<"completeMultipart"> = async (ctx, call, input) => {
  const owned = await getSession(ctx.db, call.actor, input);
  const file = owned.session.state === "completed" ? readResult(ctx, owned) : await completeOrRead(ctx, call, owned, input);
  return { success: true, file, data: file };
};

/** What fails because another call has completed the upload meanwhile is answered as that one was. */
async function completeOrRead(ctx: Ctx, call: Call, owned: OwnedSession, input: Input<"completeMultipart">): Promise<UploadResult> {
  try {
    return await complete(ctx, call, owned, input);
  } catch (error) {
    const now = await getSession(ctx.db, call.actor, input);
    if (now.session.state === "completed") return readResult(ctx, now);
    throw error;
  }
}

function readResult(ctx: Ctx, { session }: OwnedSession): UploadResult {
  return uploadResult.parse(JSON.parse(ctx.keyring.decrypt(session.result ?? "")));
}

async function complete(ctx: Ctx, call: Call, owned: OwnedSession, input: Input<"completeMultipart">): Promise<UploadResult> {
  const { session } = owned;
  checkStillHere(ctx, session);
  const actor = uploaderOf(owned, call.actor);
  if (input.fileSize != null && input.fileSize !== session.size_bytes) {
    throw new AppError(
      "SIZE_MISMATCH",
      `This upload was begun with ${session.size_bytes} bytes; fileSize must say the same, or be left out.`,
    );
  }
  const resolve = (plan: PublishInput): PublishSettings => {
    const publish = mergePlan(plan, input);
    const acceptedExpiresAt = input.expiresAt == null ? publish.expiresAt : undefined;
    return resolvePublish(publish, { actor, limits: ctx.config.tiers[actor.tier], nowMs: ctx.now(), acceptedExpiresAt });
  };
  resolve(readPlan(session.publish));
  const arrived = await listArrived(ctx, owned);
  checkParts(owned, arrived.parts, input.parts ?? undefined);
  checkDigest(owned, arrived.parts);
  await takeSession(ctx, owned);
  try {
    await recordArrived(ctx, arrived);
    await ctx.blobs.commit(
      stagedBlob(session),
      arrived.parts.map((part) => ({ partNumber: part.part_number, etag: part.etag, sha256: part.sha256 })),
    );
    if (arrived.bySender) await checkSize(ctx, session);
    const name = input.fileName ? toFileName(input.fileName) : owned.file.name;
    const head = await readHead(ctx.blobs, session.blob_key, Math.min(SNIFF_BYTES, session.size_bytes));
    const contentType = await detectContentType(head, { sent: input.contentType ?? owned.file.content_type, name });
    const result = await ctx.tx(async (ctx) => {
      // Read again: its owner may have changed the share's settings while the bytes were put in place.
      const plan = await findPlan(ctx, owned.file.id);
      const settings = resolve(plan?.publish ?? readPlan(session.publish));
      if (settings.folderId) await checkFolder(ctx, settings.folderId, owned.file.owner_id);
      const bytes = { sessionId: session.id, fileId: owned.file.id, name, sizeBytes: session.size_bytes, sha256: null, contentType };
      const result = toUploadResult(ctx, await finishUpload(ctx, actor, bytes, settings));
      await keepResult(ctx, session, result);
      await call.remember?.(ctx, { success: true, file: result, data: result });
      return result;
    });
    ctx.wakeJobs();
    return result;
  } catch (error) {
    // Not where another process has taken it over, and goes on.
    await moveSession(ctx.db, { id: session.id, from: "completing", heldBy: ctx.instanceId, to: "open", holder: null });
    throw error;
  }
}

/** Ends the session with what it is answered from now on, one-time secrets and all. */
async function keepResult(ctx: TxCtx, { id }: OwnedSession["session"], result: UploadResult): Promise<void> {
  const completed = { state: "completed", holder: null, reserved_bytes: 0, completed_at: ctx.now() } as const;
  await ctx.db
    .updateTable("upload_sessions")
    .set({ ...completed, result: ctx.keyring.encrypt(JSON.stringify(result)) })
    .where("id", "=", id)
    .execute();
}

/** An upload that was begun without a key stays anonymous, whoever completes it. */
function uploaderOf({ session, file }: OwnedSession, caller: Actor): Actor {
  return file.owner_id === null ? { kind: "anonymous", tier: "anonymous", quotaOwner: session.quota_owner } : caller;
}

/** Throws PARTS_MISSING with their numbers, or VALIDATION_FAILED where a named part is not this upload's. */
function checkParts(
  { session }: OwnedSession,
  arrived: readonly UploadPartRow[],
  named: readonly { partNumber: number; etag: string }[] | undefined,
): void {
  const byNumber = new Map(arrived.map((part) => [part.part_number, part]));
  for (const { partNumber, etag } of named ?? []) {
    const part = byNumber.get(partNumber);
    const isForeign = partNumber > session.total_parts || (part !== undefined && bareEtag(part.etag) !== bareEtag(etag));
    if (isForeign) throw foreignPart(partNumber);
  }
  const missing = Array.from({ length: session.total_parts }, (_, index) => index + 1).filter((number) => !byNumber.has(number));
  if (missing.length === 0) return;
  throw new AppError(
    "PARTS_MISSING",
    `${missing.length} of ${session.total_parts} parts have not arrived. Send them, then complete again.`,
    { fields: { missing } },
  );
}

const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Throws FILE_DIGEST_MISMATCH where the digest of the whole is known already, as that of its only part or of no bytes, and is not the one
 * that was announced. The upload stays open: the part can be sent again. With more parts, the pass that checks the file finds out.
 */
function checkDigest({ session, file }: OwnedSession, [only]: readonly UploadPartRow[]): void {
  if (file.expected_sha256 === null || session.total_parts > 1) return;
  if ((only?.sha256 ?? EMPTY_SHA256) !== file.expected_sha256) throw fileDigestMismatch();
}

/** A part may have been sent again since the store was asked for their sizes. */
async function checkSize(ctx: Ctx, { blob_key, size_bytes }: OwnedSession["session"]): Promise<void> {
  if ((await ctx.blobs.size(blob_key)) === size_bytes) return;
  throw new AppError("CONFLICT", "A part of this upload was sent again while it was completed. Abort the upload and begin a new one.");
}

function foreignPart(partNumber: number): AppError {
  const message = `Part ${partNumber} is not one that arrived for this upload. Ask which ones did, and name those.`;
  return new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: "parts", message }] } });
}

/** Makes this call the one that completes; takes over from a process that died at it. */
async function takeSession(ctx: Ctx, { session }: OwnedSession): Promise<void> {
  const { id } = session;
  if (await moveSession(ctx.db, { id, from: "open", to: "completing", holder: ctx.instanceId })) return;
  const taken = await ctx.tx(async (ctx) => {
    const current = await ctx.db.selectFrom("upload_sessions").select(["state", "holder"]).where("id", "=", id).executeTakeFirst();
    if (current?.state !== "completing" || current.holder === null) return false;
    if ((await listLiving(ctx.db, ctx.now())).has(current.holder)) return false;
    return await moveSession(ctx.db, { id, from: "completing", to: "completing", holder: ctx.instanceId });
  });
  if (taken) return;
  throw new AppError("UPLOAD_IN_PROGRESS", "This upload is being completed or was aborted at this moment. Ask again in a second.", {
    headers: { "Retry-After": "1" },
  });
}
