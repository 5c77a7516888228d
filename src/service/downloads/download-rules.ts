import type { Ctx } from "../../context.ts";
import { AppError, notFound } from "../../errors.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { isOpenTo, isOpenToOwner, toFailureReason } from "../shares/share-state.ts";
import type { DownloadableFile, SharePolicy } from "./queries.ts";

/** Validity of a signed URL (limits, "Times"). */
export const DOWNLOAD_URL_MS = HOUR_MS;

/**
 * Throws NOT_FOUND if the file has ended, or its share is closed or private to another account, SCAN_BLOCKED if its scan failed (downloads,
 * "Getting a signed URL").
 */
export function checkAvailable(ctx: Pick<Ctx, "now">, actor: Actor, file: DownloadableFile, share: SharePolicy): void {
  if (file.status !== "active" || !isOpenTo(ctx, share, ownerId(actor))) throw fileNotFound();
  checkNotBlocked(file);
}

/** Checks a file whose signed URL permits its download. Throws NOT_FOUND if the file or its share has ended, SCAN_BLOCKED if its scan failed. */
export function checkSigned(ctx: Pick<Ctx, "now">, file: DownloadableFile, share: SharePolicy): void {
  if (file.status !== "active" || !isOpenToOwner(ctx, share)) throw fileNotFound();
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

/** Throws SCAN_PENDING until the upload is complete and the scan has passed. */
export function checkReady(file: DownloadableFile): void {
  if (file.blob_state === "uploading") throw scanPending("The file is still being uploaded. Try again in a moment.");
  if (file.scan_status !== "clean") throw scanPending("The file is still being scanned. Try again in about 15 seconds.");
}

/**
 * Returns whether the grants of a limited share are valid. They outlive the file's expiry by its last download, but not the share's expiry or the
 * disabling of the owner's account (expiry, "When a share expires").
 */
export const isGrantOpen = (ctx: Pick<Ctx, "now">, share: SharePolicy): boolean =>
  share.owner_disabled_at === null && (share.expires_at === null || ctx.now() < share.expires_at);

const RETRY_AFTER_SECONDS = 15;

export function scanPending(message: string): AppError {
  return new AppError("SCAN_PENDING", message, {
    fields: { scanPending: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export const fileNotFound = (): AppError => notFound("file", "Ask the sender for a new link.", "or has expired");

/** Maximum number of decisions when a share or its files change between decision and count. */
export const MAX_AUTHORIZATIONS = 10;

export const shareChanging = (): AppError => new AppError("UNAVAILABLE", "This share is changing. Try again in a moment.");
