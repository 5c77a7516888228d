import type { StagedBlob } from "../../blobs/store.ts";
import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { invalidField } from "../../errors.ts";
import { newBlobKey, newSecret, newSessionKey } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { toFileName } from "../../lib/text/file-name.ts";
import { type Actor, checkAnonymousUploads, ownerId } from "../accounts/actor.ts";
import { cancelReservation, checkFileSize, reserveStorage } from "../accounts/quotas.ts";
import { commitResponse } from "../idempotency.ts";
import type { SentPublish } from "../shares/contract.ts";
import { parsePendingSettings } from "../shares/pending-settings.ts";
import { findSentField } from "../shares/publish-settings.ts";
import { discardUnlessStopped } from "./abort-upload.ts";
import { declaredType } from "./content-type.ts";
import { type CreateUploadInput, openUpload, stageBlob } from "./create-upload.ts";
import { findSession, insertSession } from "./queries.ts";
import { checkSessionOpen, getSession, type OwnedSession, toSessionFields, toStagedBlob, uploadNotFound } from "./session.ts";

/** The current file and its parts. */
export type Replacement = Pick<CreateUploadInput, "name" | "type" | "expectedSha256"> & {
  readonly sizeBytes: number;
  readonly parts: NonNullable<CreateUploadInput["parts"]>;
};

/**
 * Restarts an unfinished upload for a file of another size. The rows of share and file remain, with their settings (uploads, "A file that has
 * changed"). If it fails, the former upload continues. Throws NOT_FOUND, UPLOAD_CLOSED, and VALIDATION_FAILED if the file shares its link with
 * others.
 */
export async function replaceUpload(
  ctx: Ctx,
  call: RequestContext,
  formerId: string,
  publish: SentPublish,
  replacement: Replacement,
): ReturnType<typeof toSessionFields> {
  const { actor } = call;
  const setting = findSentField(publish);
  if (setting) throw invalidField(setting, `The upload keeps its settings. Omit ${setting}, or send it when you complete the upload.`);
  const former = await getReplaceable(ctx, actor, formerId);
  checkAnonymousUploads(ctx, actor, "Uploads");
  checkFileSize(replacement.sizeBytes, ctx.config.tiers[actor.tier], actor.tier);
  const staged = await stageBlob(ctx, { key: newBlobKey(ctx.random), quotaOwner: actor.quotaOwner }, replacement);
  const uploadId = newSecret(ctx.random, "");
  let response: Awaited<ReturnType<typeof toSessionFields>>;
  try {
    response = await commitResponse(ctx, call, async (ctx) => {
      await swapSession(ctx, actor, { former: await getReplaceable(ctx, actor, formerId), uploadId, staged, replacement });
      return await toSessionFields(ctx, uploadId, await getSession(ctx.db, actor, { uploadId }));
    });
  } catch (error) {
    // Keeps the blob if the commit succeeded and only its response was lost.
    if (!(await findSession(ctx.db, hashToken(uploadId)))) await ctx.blobs.discard(staged);
    throw error;
  }
  await discardUnlessStopped(ctx, toStagedBlob(former.session));
  return response;
}

/** Gets an upload that can be replaced. It stays with the account, or the anonymous caller, that began it, as in `completeMultipart`. */
async function getReplaceable(ctx: Pick<Ctx, "db" | "blobs" | "startedAtMs">, actor: Actor, uploadId: string): Promise<OwnedSession> {
  const former = await getSession(ctx.db, actor, { uploadId });
  const { session, file } = former;
  if (session.uploader_id !== ownerId(actor) || file.status !== "active") throw uploadNotFound();
  checkSessionOpen(ctx, session);
  const share = await ctx.db.selectFrom("shares").select(["kind", "status"]).where("short_id", "=", file.short_id).executeTakeFirst();
  const { shareShortId, openShare } = parsePendingSettings(session.publish_fields);
  if (share?.kind !== "file" || shareShortId || openShare || session.submission_id !== null)
    throw invalidField("replacesUploadId", "Only an upload of a single file has its own link. Omit it.");
  if (share.status !== "active") throw uploadNotFound();
  return former;
}

interface Swap {
  readonly former: OwnedSession;
  readonly uploadId: string;
  readonly staged: StagedBlob;
  readonly replacement: Replacement;
}

async function swapSession(ctx: TransactionCtx, actor: Actor, { former, uploadId, staged, replacement }: Swap): Promise<void> {
  const { session, file } = former;
  const { name, sizeBytes, type, expectedSha256, parts } = replacement;
  await ctx.db.deleteFrom("upload_sessions").where("id", "=", session.id).execute();
  await cancelReservation(ctx.db, { owner: session.quota_owner, bytes: session.reserved_bytes, files: 1 });
  await reserveStorage(ctx.db, actor, ctx.config.tiers[actor.tier], { bytes: sizeBytes, files: 1 });
  const shownName = toFileName(name);
  await ctx.db.updateTable("shares").set({ name: shownName }).where("short_id", "=", file.short_id).execute();
  await ctx.db
    .updateTable("files")
    .set({
      name: shownName,
      size_bytes: sizeBytes,
      content_type: declaredType(type),
      expected_sha256: expectedSha256 ?? null,
      blob_key: staged.key,
      quota_owner: actor.quotaOwner,
    })
    .where("id", "=", file.id)
    .execute();
  const nowMs = ctx.now();
  const { staged_ref: _ref, result: _result, completed_at: _completedAt, ...kept } = session;
  const sessionId = hashToken(uploadId);
  await insertSession(ctx.db, {
    ...kept,
    id: sessionId,
    session_key: newSessionKey(ctx.random),
    quota_owner: actor.quotaOwner,
    reserved_bytes: sizeBytes,
    size_bytes: sizeBytes,
    part_size_bytes: parts.sizeBytes,
    total_parts: parts.total,
    blob_key: staged.key,
    last_byte_at: nowMs,
    created_at: nowMs,
  });
  await openUpload(ctx, { sessionId, staged });
}
