import { accountDisabled } from "../../auth/owner-actor.ts";
import { hashToken } from "../../auth/secrets.ts";
import type { TxCtx } from "../../context.ts";
import { hasAnnounced } from "../../db/announced-parts.ts";
import { insertEvent } from "../../db/events.ts";
import { settleQuota } from "../../db/quotas.ts";
import { findSetting } from "../../db/settings.ts";
import type { FileRow, ShareRow } from "../../db/tables/files.ts";
import type { UploadSessionRow } from "../../db/tables/uploads.ts";
import type { Actor } from "../../domain/actor.ts";
import { newSecret, newUuid } from "../../domain/alphabet.ts";
import type { PublishSettings } from "../../domain/publish.ts";
import { AppError } from "../../errors.ts";
import { enqueueScan } from "../files/enqueue-scan.ts";
import type { ProtectionCredentials } from "../protection/credentials.ts";
import type { OwnerRights } from "../shares/hold-to-owner.ts";
import { placeInShare } from "../shares/place-in-share.ts";

export interface FinishedBytes {
  readonly sessionId: string;
  readonly fileId: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** Null where the bytes did not arrive in order: the pass that scans computes it. */
  readonly sha256: string | null;
  readonly contentType: string;
}

/** The secrets of an upload: those of an anonymous one, those of a protected share; told once. */
export interface OneTimeTokens extends Partial<ProtectionCredentials> {
  readonly claimToken?: string;
  readonly deletionToken?: string;
}

export interface FinishedUpload {
  readonly file: FileRow;
  readonly share: ShareRow;
  readonly tokens: OneTimeTokens;
}

/**
 * Makes an upload whose bytes are durable and in their place a file of its share: what is answered after this is never lost.
 * Runs within the caller's transaction, which also ends the session. Throws UPLOAD_CLOSED where the upload was given up meanwhile,
 * and UNAUTHENTICATED where the account of its owner has been disabled.
 */
export async function finishUpload(ctx: TxCtx, actor: Actor, bytes: FinishedBytes, publish: PublishSettings): Promise<FinishedUpload> {
  const nowMs = ctx.now();
  const tokens =
    actor.kind === "anonymous" ? { claimToken: newSecret(ctx.random, "claim_"), deletionToken: newSecret(ctx.random, "del_") } : {};
  const unscanned = !(await isScannerRequired(ctx));
  const before = await ctx.db
    .selectFrom("files")
    .leftJoin("users", "users.id", "files.owner_id")
    .select(["files.expected_sha256", "users.tier", "users.pro_until", "users.username", "users.disabled_at"])
    .where("files.id", "=", bytes.fileId)
    .executeTakeFirst();
  if (before && before.disabled_at !== null) throw accountDisabled();
  const announced = before?.expected_sha256 ?? null;
  if (announced !== null && bytes.sha256 !== null && announced !== bytes.sha256) throw fileDigestMismatch();
  const isHeld = announced !== null && bytes.sha256 === null;
  const isClean = unscanned && !isHeld && !(await hasAnnounced(ctx.db, bytes.fileId));
  const file = await ctx.db
    .updateTable("files")
    .set({
      name: bytes.name,
      size_bytes: bytes.sizeBytes,
      sha256: bytes.sha256,
      content_type: bytes.contentType,
      blob_state: "stored",
      scan_status: isClean ? "clean" : "pending",
      scan_coverage: isClean ? "none" : null,
      folder_id: publish.folderId,
      run_id: publish.runId,
      relative_path: publish.relativePath,
      claim_hash: tokens.claimToken ? hashToken(tokens.claimToken) : null,
      deletion_hash: tokens.deletionToken ? hashToken(tokens.deletionToken) : null,
      created_at: nowMs,
    })
    .where("id", "=", bytes.fileId)
    .where("blob_state", "=", "uploading")
    // A share may have been taken down while its upload was under way.
    .where("status", "=", "active")
    .returningAll()
    .executeTakeFirst();
  if (!file) throw uploadGone();
  const session = await settleSession(ctx, bytes);
  const owner = before && toOwnerRights(before);
  const placed = { id: file.id, short_id: file.short_id, name: bytes.name, keepsLink: session.kind === "multipart", owner };
  const { share, credentials } = await placeInShare(ctx, actor, placed, publish);
  if (isClean)
    await insertEvent(ctx.db, { id: newUuid(ctx.random, nowMs), type: "file.ready", file: { ...file, short_id: share.short_id }, nowMs });
  if (!isClean || bytes.sha256 === null) await enqueueScan(ctx, file);
  return { file: { ...file, short_id: share.short_id }, share, tokens: { ...tokens, ...credentials } };
}

/** Also where another process, which shares the database, has found one a moment ago, and this one has not heard of it yet. */
async function isScannerRequired({ db, scanner: { mode } }: TxCtx): Promise<boolean> {
  return mode === "clamd" || (mode === "none" && (await findSetting(db, "scanner_seen")) !== undefined);
}

async function settleSession(ctx: TxCtx, bytes: FinishedBytes): Promise<Pick<UploadSessionRow, "kind">> {
  const session = await ctx.db
    .selectFrom("upload_sessions")
    .select(["kind", "quota_owner", "reserved_bytes"])
    .where("id", "=", bytes.sessionId)
    .executeTakeFirst();
  if (!session) throw uploadGone();
  await settleQuota(ctx.db, { owner: session.quota_owner, reservedBytes: session.reserved_bytes, usedBytes: bytes.sizeBytes });
  return session;
}

/** Undefined where the file has no owner. */
function toOwnerRights({ tier, pro_until, username }: { [K in keyof OwnerRights]: OwnerRights[K] | null }): OwnerRights | undefined {
  return tier === null ? undefined : { tier, pro_until, username };
}

const uploadGone = (): AppError => new AppError("UPLOAD_CLOSED", "This upload was aborted, or took too long. Please start again.");

export const fileDigestMismatch = (): AppError =>
  new AppError(
    "FILE_DIGEST_MISMATCH",
    "The file that arrived does not have the SHA-256 that was announced. Send the part again and complete, or abort the upload.",
  );
