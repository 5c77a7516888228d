import type { StagedBlob } from "../../blobs/store.ts";
import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { invalidField } from "../../errors.ts";
import { toFileName } from "../../lib/file-name.ts";
import { newBlobKey, newSecret, newSessionKey } from "../../lib/ids.ts";
import { hashToken } from "../../lib/secrets.ts";
import { type Actor, checkAnonymousUploads, ownerId } from "../accounts/actor.ts";
import { cancelReservation, checkFileSize, reserveStorage } from "../accounts/quotas.ts";
import { commitResponse } from "../idempotency.ts";
import type { PublishInput } from "../shares/contract.ts";
import { parsePendingSettings } from "../shares/pending-settings.ts";
import { discardUnlessStopped } from "./abort-upload.ts";
import { openUpload } from "./create-upload.ts";
import { findSession, insertSession } from "./queries.ts";
import { checkSessionOpen, getSession, type OwnedSession, toSessionFields, toStagedBlob, uploadNotFound } from "./session.ts";
import { memoryGroups, spaceGroups } from "./space-groups.ts";

/** The file as it is now, and its parts. */
export interface Replacement {
  readonly name: string;
  readonly sizeBytes: number;
  readonly type: string | null | undefined;
  readonly expectedSha256: string | null | undefined;
  readonly parts: { readonly sizeBytes: number; readonly total: number };
}

/**
 * Begins an unfinished upload again, for a file of another size: rows of share and file stay, with their settings (uploads, "A file that has
 * changed"). If it fails, the former upload continues. Throws NOT_FOUND, UPLOAD_CLOSED, and VALIDATION_FAILED if the file has no link of its own.
 */
export async function replaceUpload(
  ctx: Ctx,
  call: RequestContext,
  formerId: string,
  publish: PublishInput,
  replacement: Replacement,
): Promise<ReturnType<typeof toSessionFields>> {
  const { actor } = call;
  const setting = Object.entries(publish).find(([, value]) => value !== undefined && value !== null && value !== false)?.[0];
  if (setting) throw invalidField(setting, `The upload keeps its settings. Omit ${setting}, or send it when you complete the upload.`);
  const former = await getReplaceable(ctx, actor, formerId);
  checkAnonymousUploads(ctx, actor, "Uploads");
  checkFileSize(replacement.sizeBytes, ctx.config.tiers[actor.tier], actor.tier);
  const staged = await ctx.blobs.stage(newBlobKey(ctx.random), replacement.sizeBytes, {
    isDirect: false,
    allowsPresigned: true,
    groups: spaceGroups(actor.quotaOwner),
    memoryGroups: memoryGroups(actor.quotaOwner),
  });
  const uploadId = newSecret(ctx.random, "");
  try {
    const response = await commitResponse(ctx, call, async (ctx) => {
      await swapSession(ctx, actor, { former: await getReplaceable(ctx, actor, formerId), uploadId, staged, replacement });
      return toSessionFields(ctx, uploadId, await getSession(ctx.db, actor, { uploadId }));
    });
    await discardUnlessStopped(ctx, toStagedBlob(former.session));
    return response;
  } catch (error) {
    // A commit whose response was lost may have succeeded.
    if (!(await findSession(ctx.db, hashToken(uploadId)))) await ctx.blobs.discard(staged);
    throw error;
  }
}

/** The rule of `completeMultipart`: an upload stays that of the account, or of nobody, that began it. */
async function getReplaceable(ctx: Pick<Ctx, "db" | "blobs" | "startedAtMs">, actor: Actor, uploadId: string): Promise<OwnedSession> {
  const former = await getSession(ctx.db, actor, { uploadId });
  const { session, file } = former;
  if (session.uploader_id !== ownerId(actor) || file.status !== "active") throw uploadNotFound();
  checkSessionOpen(ctx, session);
  const share = await ctx.db.selectFrom("shares").select(["kind", "status"]).where("short_id", "=", file.short_id).executeTakeFirst();
  const { shareShortId, openShare } = parsePendingSettings(session.publish_fields);
  if (share?.kind !== "file" || shareShortId || openShare || session.submission_id !== null)
    throw invalidField("replacesUploadId", "Only an upload of a single file has a link of its own. Omit it.");
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
      content_type: type?.slice(0, 200) || "application/octet-stream",
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
