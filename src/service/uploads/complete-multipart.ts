import { z } from "zod";
import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { withoutSecrets } from "../../contract/secret.ts";
import type { UploadPartRow } from "../../db/tables/uploads.ts";
import { AppError, invalidField } from "../../errors.ts";
import { listLiveInstances } from "../../jobs/instances.ts";
import { toFileName } from "../../lib/text/file-name.ts";
import type { Actor } from "../accounts/actor.ts";
import type { Input } from "../contract.ts";
import { type UploadResult, uploadResult } from "../files/contract.ts";
import { toUploadResult } from "../files/file-view.ts";
import { commitResponse, commitWithoutCredentialCheck, toCredential } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { getRequestOwner } from "../requests/uploader.ts";
import { countAliasRequest } from "../shares/aliases.ts";
import type { PublishInput } from "../shares/contract.ts";
import { findPendingSettings, mergeSettings, parsePendingSettings } from "../shares/pending-settings.ts";
import { type PublishSettings, resolvePublishSettings } from "../shares/publish-settings.ts";
import { findShare } from "../shares/queries.ts";
import { readPublish } from "../shares/read-publish.ts";
import type { Sealed } from "../shares/share-password.ts";
import { abortUpload } from "./abort-upload.ts";
import { type FinalizeInput, fileDigestMismatch, finalizeUpload, uploadAborted } from "./finalize-upload.ts";
import { inspectBlob } from "./inspect-bytes.ts";
import { changeSessionState, findPart } from "./queries.ts";
import { checkStoreUnchanged, getSession, type MultipartSession, type OwnedSession, toStagedBlob } from "./session.ts";
import type { OnFinalized } from "./upload-stream.ts";
import { bareEtag, listUploadedParts, saveUploadedParts, type UploadedParts } from "./uploaded-parts.ts";

/**
 * `POST /files/multipart/complete`: checks the parts, syncs the blob and renames it. For a day, a repeated call gets the same response, without its
 * secrets if its credential differs (idempotency, "Calls that repeat without a key").
 */
export const completeMultipart: Operation<"completeMultipart"> = async (ctx, call, input) => {
  // Refuses an unknown upload before its password is hashed.
  if (input.password) await getSession(ctx.db, call.actor, input);
  return await completeUpload(ctx, call, await readPublish(ctx, call, input));
};

/** The fields of a call, with the hash of a password in place of the password. */
export type CompleteInput = Sealed<Input<"completeMultipart">>;

/** Completes a multipart upload, or resolves to the result of a completed one. */
export async function completeUpload(
  ctx: Ctx,
  call: RequestContext,
  input: CompleteInput,
  onFinalized?: OnFinalized,
): Promise<UploadResult> {
  const owned = await getSession(ctx.db, call.actor, input);
  if (owned.session.state === "completed") return await commitResponse(ctx, call, async (ctx) => readResult(ctx, call, owned));
  try {
    return await complete(ctx, call, owned, { input, onFinalized });
  } catch (error) {
    if (isRefused(error)) throw error;
    // Another call may have completed the upload meanwhile.
    const current = await getSession(ctx.db, call.actor, input);
    if (current.session.state === "completed") return await commitResponse(ctx, call, async (ctx) => readResult(ctx, call, current));
    throw error;
  }
}

/** Returns whether the server permanently refuses the uploaded bytes, so that the upload ends. */
const isRefused = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "ENCRYPTED_REFUSED" || error.code === "ENCRYPTION_REQUIRED");

/** The stored result of a completed session, with the credential of the call that completed it. */
const storedResult = uploadResult.extend({ credential: z.string().optional() });

function readResult(ctx: TransactionCtx, call: RequestContext, { session }: OwnedSession): UploadResult {
  const { credential, ...result } = storedResult.parse(JSON.parse(ctx.keyring.decrypt(session.result ?? "")));
  // The ID of an upload that was started without a key, or sent to a request, is a sufficient proof, from any address.
  if (session.uploader_id === null || session.submission_id !== null || credential === toCredential(ctx, call)) return result;
  return {
    ...uploadResult.parse({ ...(withoutSecrets(uploadResult, result).value as object), url: result.shareUrl }),
    secretsWithheld: true,
  };
}

interface Completing {
  readonly input: CompleteInput;
  readonly onFinalized: OnFinalized | undefined;
}

/** Checks the upload and its parts, leases the session, and commits it. */
async function complete(ctx: Ctx, call: RequestContext, owned: OwnedSession, completing: Completing): Promise<UploadResult> {
  const { session, file } = owned;
  const { input } = completing;
  checkStoreUnchanged(ctx, session);
  if (file.status !== "active") throw uploadAborted();
  const actor = await findUploader(ctx, owned, call.actor);
  if (input.fileSize != null && input.fileSize !== session.size_bytes) {
    throw new AppError("SIZE_MISMATCH", `This upload was created with ${session.size_bytes} bytes. Send the same fileSize, or omit it.`);
  }
  const { alias } = resolveSettings(ctx, owned, { input, actor, pending: parsePendingSettings(session.publish_fields) });
  const uploaded = await listUploadedParts(ctx, owned);
  checkParts(owned, uploaded.parts, input.parts ?? undefined);
  checkDigest(owned, uploaded.parts);
  if (alias !== null && alias !== (await findShare(ctx.db, file.short_id))?.alias) await countAliasRequest(ctx, actor);
  await leaseSession(ctx, owned);
  try {
    return await commitLeased(ctx, call, owned, { ...completing, actor, uploaded });
  } catch (error) {
    if (isRefused(error))
      await abortUpload(ctx, { sessionId: session.id, fileId: file.id, shortId: file.short_id, staged: toStagedBlob(session) });
    // Reopens the session, unless another server instance has taken over its lease.
    else await changeSessionState(ctx.db, { id: session.id, from: "completing", heldBy: ctx.instanceId, to: "open", leaseHolder: null });
    throw error;
  }
}

/** Resolves the settings of the share from those that wait in the session and those of the call. Throws for settings that are not allowed. */
function resolveSettings(
  ctx: Pick<Ctx, "config" | "now">,
  { session, file }: OwnedSession,
  { input, actor, pending }: { readonly input: CompleteInput; readonly actor: Actor; readonly pending: PublishInput },
): PublishSettings {
  const { relativePath, modifiedAt, executable } = input;
  const publish = mergeSettings(pending, session.submission_id === null ? input : { relativePath, modifiedAt, executable });
  const acceptedExpiresAt = input.expiresAt == null ? publish.expiresAt : undefined;
  const limits = ctx.config.tiers[actor.tier];
  return resolvePublishSettings(publish, { actor, limits, nowMs: ctx.now(), acceptedExpiresAt, joinedShortId: file.short_id });
}

interface LeasedUpload extends Completing {
  readonly actor: Actor;
  readonly uploaded: UploadedParts;
}

/** Commits the blob of a leased session, and then its file, its end and the response together. */
async function commitLeased(
  ctx: Ctx,
  call: RequestContext,
  owned: OwnedSession,
  { input, onFinalized, actor, uploaded }: LeasedUpload,
): Promise<UploadResult> {
  const { session, file } = owned;
  await saveUploadedParts(ctx, uploaded);
  await ctx.blobs.commit(
    toStagedBlob(session),
    uploaded.parts.map((part) => ({ partNumber: part.part_number, etag: part.etag, sha256: part.sha256 })),
  );
  if (uploaded.bypassedServer) await checkSize(ctx, session);
  const name = input.fileName ? toFileName(input.fileName) : file.name;
  const blob = { key: session.blob_key, sizeBytes: session.size_bytes };
  const inspected = await inspectBlob(ctx, blob, { declared: input.contentType ?? file.content_type, name });
  const result = await commitWithoutCredentialCheck(ctx, call, async (ctx) => {
    // Reads the settings again, because the owner may have changed them while the blob was committed.
    const found = await findPendingSettings(ctx, file.id);
    const pending = found?.publish ?? parsePendingSettings(session.publish_fields);
    const settings = resolveSettings(ctx, owned, { input, actor, pending });
    const upload = {
      sessionId: session.id,
      fileId: file.id,
      name,
      sizeBytes: session.size_bytes,
      ...(await findKnownDigests(ctx, owned, uploaded)),
      ...inspected,
    };
    const finalized = await finalizeUpload(ctx, actor, upload, settings);
    const result = toUploadResult(ctx, finalized);
    await completeSession(ctx, session, { ...result, credential: toCredential(ctx, call) });
    await onFinalized?.(ctx, finalized, result);
    return result;
  });
  ctx.wakeJobs();
  return result;
}

/**
 * Finds the uploader. An upload that was started without a key stays anonymous, even if its caller has a key; an upload to a request is for the
 * account that asks.
 */
async function findUploader(ctx: Ctx, { session }: OwnedSession, caller: Actor): Promise<Actor> {
  if (session.submission_id !== null) return await getRequestOwner(ctx, session.submission_id);
  return session.uploader_id === null ? { kind: "anonymous", tier: "anonymous", quotaOwner: session.quota_owner } : caller;
}

/** Throws PARTS_MISSING with the missing numbers, or VALIDATION_FAILED if the client names a part that the upload does not have. */
function checkParts(
  { session }: OwnedSession,
  uploaded: readonly UploadPartRow[],
  named: readonly { partNumber: number; etag: string }[] | undefined,
): void {
  const byNumber = new Map(uploaded.map((part) => [part.part_number, part]));
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

/** The SHA-256 of an empty file. */
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Throws FILE_DIGEST_MISMATCH if the file has at most one part and its digest differs from the expected one. The upload stays open, so that the part
 * can be sent again; the scan job verifies a file of several parts.
 */
function checkDigest({ session, file }: OwnedSession, [only]: readonly UploadPartRow[]): void {
  if (file.expected_sha256 === null || session.total_parts > 1) return;
  if ((only?.sha256 ?? EMPTY_SHA256) !== file.expected_sha256) throw fileDigestMismatch();
}

/** Returns the verified digests of a file with at most one part; null for all others. Called when no part can be replaced any more. */
async function findKnownDigests(
  ctx: TransactionCtx,
  { session }: OwnedSession,
  { bypassedServer }: UploadedParts,
): Promise<Pick<FinalizeInput, "sha256" | "crc32">> {
  if (session.total_parts > 1 || bypassedServer) return { sha256: null, crc32: null };
  const { sha256, crc32 } = (await findPart(ctx.db, session.id, 1)) ?? { sha256: EMPTY_SHA256, crc32: 0 };
  return { sha256, crc32 };
}

/** Throws CONFLICT if a part was replaced after the store listed the parts. */
async function checkSize(ctx: Ctx, { blob_key, size_bytes }: MultipartSession): Promise<void> {
  if ((await ctx.blobs.size(blob_key)) === size_bytes) return;
  throw new AppError("CONFLICT", "A part was sent again while the upload was completed. Abort the upload and start a new one.");
}

const foreignPart = (partNumber: number): AppError =>
  invalidField("parts", `Part ${partNumber} was not uploaded. List the uploaded parts, and name only those.`);

/** Leases the session to this call, so that no other call completes it. Takes over the lease of a server instance that has stopped. */
async function leaseSession(ctx: Ctx, { session: { id } }: OwnedSession): Promise<void> {
  if (await changeSessionState(ctx.db, { id, from: "open", to: "completing", leaseHolder: ctx.instanceId })) return;
  const isTakenOver = await ctx.transaction(async (ctx) => {
    const current = await ctx.db.selectFrom("upload_sessions").select(["state", "lease_holder"]).where("id", "=", id).executeTakeFirst();
    if (current?.state !== "completing" || current.lease_holder === null) return false;
    if ((await listLiveInstances(ctx)).has(current.lease_holder)) return false;
    return await changeSessionState(ctx.db, { id, from: "completing", to: "completing", leaseHolder: ctx.instanceId });
  });
  if (isTakenOver) return;
  throw new AppError("UPLOAD_IN_PROGRESS", "This upload is being completed or was aborted meanwhile. Try again in a second.", {
    retryAfterSeconds: 1,
  });
}

/** Ends the session and stores the response for repeated calls, including one-time secrets. */
async function completeSession(ctx: TransactionCtx, { id }: MultipartSession, result: z.infer<typeof storedResult>): Promise<void> {
  const completed = { state: "completed", lease_holder: null, reserved_bytes: 0, completed_at: ctx.now() } as const;
  await ctx.db
    .updateTable("upload_sessions")
    .set({ ...completed, result: ctx.keyring.encrypt(JSON.stringify(result)) })
    .where("id", "=", id)
    .execute();
}
