import type { TxCtx } from "../../context.ts";
import type { DeliverableFile, SharePolicy } from "../../db/deliveries.ts";
import { AppError } from "../../errors.ts";
import { isOpen } from "../shares/get-share.ts";

const RETRY_AFTER_SECONDS = 15;

/**
 * The one rule of who may have a file's bytes, on every road (decisions, "Downloads"): throws NOT_FOUND, SCAN_BLOCKED, FORBIDDEN or
 * SCAN_PENDING, in that order.
 */
export function checkDownloadable(
  ctx: Pick<TxCtx, "now">,
  file: DeliverableFile | undefined,
  share: SharePolicy | undefined,
): asserts file is DeliverableFile {
  if (!file || !share || file.status !== "active" || !isOpen(ctx, share)) throw fileNotFound();
  if (file.scan_status === "unavailable") throw scanBlocked(file);
  if (share.unlock_hash !== null || share.price_cents !== null) {
    throw new AppError("FORBIDDEN", "This share is protected in a way that this version of the server cannot unlock.");
  }
  if (file.blob_state === "uploading") throw pending("The file is still being uploaded. Try again in a moment.");
  if (file.scan_status !== "clean") throw pending("The file is being checked for malware. Try again in about 15 seconds.");
}

export const fileNotFound = (): AppError =>
  new AppError("NOT_FOUND", "There is no such file, or it has expired. Ask whoever sent you the link for a new one.");

function scanBlocked(file: DeliverableFile): AppError {
  const message =
    file.scan_reason === "infected"
      ? "The safety check found malware in this file, so it cannot be downloaded."
      : "The safety check of this file could not finish, so it cannot be downloaded.";
  return new AppError("SCAN_BLOCKED", message, { fields: { scanBlocked: true } });
}

function pending(message: string): AppError {
  return new AppError("SCAN_PENDING", message, {
    fields: { scanPending: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
    headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
  });
}
