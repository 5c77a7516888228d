import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { sql } from "kysely";
import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import { AppError, notFound } from "../../errors.ts";
import { HOUR_MS } from "../../lib/duration.ts";
import { newUuid } from "../../lib/ids.ts";
import { classifyClient } from "../../lib/user-agent.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { insertEvents, type NewEvent } from "../events/outbox.ts";
import { closeShareIfEmpty, endFilesOnly } from "../files/end-file.ts";
import { signDownloadUrl } from "../files/signed-url.ts";
import type { Operation } from "../operation.ts";
import { isOpen, toFailureReason } from "../shares/share-state.ts";
import { checkUnlocked, type UnlockCredentials, unlockInvalid } from "../shares/unlock.ts";
import { type Downloadable, type DownloadableFile, findDownloadable, insertGrants, type SharePolicy } from "./queries.ts";

/** How long a signed URL is valid (limits, "Times"). */
export const DOWNLOAD_URL_MS = HOUR_MS;

/** `GET /files/download/{fileId}`: counts a download and returns a signed URL, valid for an hour. */
export const authorizeDownload: Operation<"authorizeDownload"> = async (ctx, call, { fileId, ...credentials }) => {
  const authorized = await authorize(ctx, call, fileId, credentials);
  const url = await ctx.transaction(async (ctx) => {
    const { file, share } = await reauthorize(ctx, authorized);
    const expiresAtMs = Math.min(ctx.now() + DOWNLOAD_URL_MS, share.expires_at ?? Number.POSITIVE_INFINITY);
    const grantId = isLimited(share) ? newUuid(ctx.random, ctx.now()) : "";
    if (!(await countDownloads(ctx, call, [file], { share, grantId: () => grantId, expiresAtMs }))) throw fileNotFound();
    return signDownloadUrl(ctx, { file, share, purpose: "download", expiresAtMs, grantId });
  });
  return { success: true, url };
};

/**
 * Decides whether a caller may download a file. Throws NOT_FOUND or SCAN_BLOCKED, UNLOCK_REQUIRED or UNLOCK_INVALID, PAYMENT_REQUIRED,
 * SCAN_PENDING, in that order (downloads, "Getting a signed URL"). Counts nothing.
 */
async function authorize(ctx: Ctx, call: RequestContext, fileId: string, credentials: UnlockCredentials): Promise<Downloadable> {
  const found = await findDownloadable(ctx.db, fileId);
  if (!found) throw fileNotFound();
  const { file, share } = found;
  checkAvailable(ctx, file, share);
  await checkUnlocked(ctx, call, share, credentials);
  checkPaid(call.actor, file, share);
  checkReady(file);
  return found;
}

/** Checks an authorization against the current rows, within the transaction that uses it. Throws as `authorize` does. */
async function reauthorize(ctx: TransactionCtx, before: Downloadable): Promise<Downloadable> {
  const current = await findDownloadable(ctx.db, before.file.id);
  if (!current) throw fileNotFound();
  checkAvailable(ctx, current.file, current.share);
  if (current.share.credentials_version !== before.share.credentials_version) throw unlockInvalid();
  checkReady(current.file);
  return current;
}

/** Throws NOT_FOUND if the file has ended or its share is closed, SCAN_BLOCKED if its scan failed (downloads, "Getting a signed URL"). */
export function checkAvailable(ctx: Pick<Ctx, "now">, file: DownloadableFile, share: SharePolicy): void {
  if (file.status !== "active" || !isOpen(ctx, share)) throw fileNotFound();
  checkNotBlocked(file);
}

/** Throws SCAN_BLOCKED if malware was found, the bytes are damaged or the scan failed. */
export function checkNotBlocked(file: DownloadableFile): void {
  if (file.scan_status !== "unavailable") return;
  throw new AppError("SCAN_BLOCKED", BLOCKED[toFailureReason(file) ?? "scan_failed"], { fields: { scanBlocked: true } });
}

const BLOCKED = {
  infected: "This file is blocked: malware found. Tell the sender.",
  scan_failed: "This file is blocked: the malware scan failed. Try again later, or ask the sender to upload it again.",
  digest_mismatch: "This file is blocked: it arrived damaged. Ask the sender to upload it again.",
} as const;

/** Throws PAYMENT_REQUIRED if the share has a price and the caller is not its owner. */
export function checkPaid(actor: Actor, file: DownloadableFile, share: SharePolicy): void {
  if (share.price_cents === null || (file.owner_id !== null && file.owner_id === ownerId(actor))) return;
  throw new AppError("PAYMENT_REQUIRED", "This share has a price. Buy it first, then download it with the purchase token.", {
    fields: { priceCents: share.price_cents, currency: "usd", paymentRequired: true },
  });
}

/** Throws SCAN_PENDING until the upload is complete and the scan has passed. */
export function checkReady(file: DownloadableFile): void {
  if (file.blob_state === "uploading") throw scanPending("The file is still being uploaded. Try again in a moment.");
  if (file.scan_status !== "clean") throw scanPending("The file is being scanned for malware. Try again in about 15 seconds.");
}

const RETRY_AFTER_SECONDS = 15;

function scanPending(message: string): AppError {
  return new AppError("SCAN_PENDING", message, {
    fields: { scanPending: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export const fileNotFound = (): AppError => notFound("file", "Ask the sender for a new link.", "or has expired");

/** Whether a share allows a limited number of downloads. */
export const isLimited = (share: SharePolicy): boolean => share.max_downloads !== null;

/**
 * A grant allows its file's size times this: room to repeat a broken transfer. In an archive a file is repeated whole, which fits if the
 * first transfer broke before its middle.
 */
const BUDGET_FACTOR = 1.5;
/** Files that one statement counts. Other requests run between the statements. */
const BATCH_SIZE = 1000;

export interface CountOptions {
  readonly share: SharePolicy;
  /** The ID of a file's grant; called only for a limited share. */
  readonly grantId: (fileId: string) => string;
  /** When the grants expire. */
  readonly expiresAtMs: number;
}

/**
 * Counts one download of each file of a share, exactly: with `maxDownloads: n`, n calls get true, however many run concurrently. The last
 * download expires a file; its bytes stay until its grants end (downloads, "Limited shares"). Counts all files or none: on false the caller
 * must roll back.
 */
export async function countDownloads(
  ctx: TransactionCtx,
  call: RequestContext,
  files: readonly DownloadableFile[],
  options: CountOptions,
): Promise<boolean> {
  for (let start = 0; start < files.length; start += BATCH_SIZE) {
    if (start > 0) await yieldToEventLoop();
    if (!(await countBatch(ctx, call, files.slice(start, start + BATCH_SIZE), options))) return false;
  }
  // After all batches, because it reads all files of the share.
  if (isLimited(options.share)) await closeShareIfEmpty(ctx, options.share.short_id, "expired");
  return true;
}

async function countBatch(
  ctx: TransactionCtx,
  call: RequestContext,
  files: readonly DownloadableFile[],
  { share, grantId, expiresAtMs }: CountOptions,
): Promise<boolean> {
  const limit = share.max_downloads;
  const counted = await ctx.db
    .updateTable("files")
    .set({ download_count: sql`download_count + 1` })
    .where("id", "in", inJson(files.map(({ id }) => id)))
    .where("status", "=", "active")
    .where("scan_status", "=", "clean")
    .where("blob_state", "=", "stored")
    .$if(limit !== null, (query) => query.where("download_count", "<", limit))
    .returning(["id", "download_count"])
    .execute();
  if (counted.length !== files.length) return false;
  await insertDownloadEvents(ctx, call, "file.authorized", files);
  if (limit === null) return true;
  await insertGrants(
    ctx.db,
    files.map((file) => ({ id: grantId(file.id), fileId: file.id, budgetBytes: Math.floor(file.size_bytes * BUDGET_FACTOR), expiresAtMs })),
  );
  const usedUpIds = new Set(counted.filter(({ download_count }) => download_count >= limit).map(({ id }) => id));
  const usedUp = files.filter(({ id }) => usedUpIds.has(id));
  if (usedUp.length > 0) await endFilesOnly(ctx, usedUp, { status: "expired", removeAtMs: "lastGrant" });
  return true;
}

/** Records that a download of each file was authorized or completed, with the channel and the class of the client. */
export async function insertDownloadEvents(
  ctx: TransactionCtx,
  call: RequestContext,
  type: "file.authorized" | "file.downloaded",
  files: readonly NewEvent["file"][],
): Promise<void> {
  const nowMs = ctx.now();
  const request = { channel: call.channel, clientClass: classifyClient(call.userAgent), nowMs };
  await insertEvents(
    ctx.db,
    files.map((file) => ({ id: newUuid(ctx.random, nowMs), type, file, ...request })),
  );
}
