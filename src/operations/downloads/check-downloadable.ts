import type { TxCtx } from "../../context.ts";
import type { DeliverableFile, SharePolicy } from "../../db/deliveries.ts";
import { type Actor, ownerId } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";
import { toFailureReason } from "../files/failure-reason.ts";
import { isOpen } from "../shares/is-open.ts";

const RETRY_AFTER_SECONDS = 15;

/** Throws NOT_FOUND where a file is missing, over or used up, and SCAN_BLOCKED where the check blocked it (decisions, "Downloads"). */
export function checkAvailable(ctx: Pick<TxCtx, "now">, file: DeliverableFile, share: SharePolicy): void {
  if (file.status !== "active" || !isOpen(ctx, share)) throw fileNotFound();
  checkNotBlocked(file);
}

/** Throws SCAN_BLOCKED where the check blocked a file, or could not finish. */
export function checkNotBlocked(file: DeliverableFile): void {
  if (file.scan_status === "unavailable") throw scanBlocked(file);
}

/** Throws PAYMENT_REQUIRED where the share has a price and the caller is not its owner. */
export function checkPaid(actor: Actor, file: DeliverableFile, share: SharePolicy): void {
  if (share.price_cents === null || (file.owner_id !== null && file.owner_id === ownerId(actor))) return;
  throw new AppError("PAYMENT_REQUIRED", "This share has a price. Buy it first, then download it with the purchase token.", {
    fields: { priceCents: share.price_cents, currency: "usd", paymentRequired: true },
  });
}

/** Throws SCAN_PENDING until all bytes are there and have been checked. */
export function checkReady(file: DeliverableFile): void {
  if (file.blob_state === "uploading") throw pending("The file is still being uploaded. Try again in a moment.");
  if (file.scan_status !== "clean") throw pending("The file is being checked for malware. Try again in about 15 seconds.");
}

export const fileNotFound = (): AppError =>
  new AppError("NOT_FOUND", "There is no such file, or it has expired. Ask whoever sent you the link for a new one.");

const BLOCKED = {
  infected: "The safety check found malware in this file, so it cannot be downloaded.",
  scan_failed: "The safety check of this file could not finish, so it cannot be downloaded.",
  digest_mismatch: "This file arrived damaged, so it cannot be downloaded. Ask the sender to send it again.",
} as const;

function scanBlocked(file: DeliverableFile): AppError {
  return new AppError("SCAN_BLOCKED", BLOCKED[toFailureReason(file) ?? "scan_failed"], { fields: { scanBlocked: true } });
}

function pending(message: string): AppError {
  return new AppError("SCAN_PENDING", message, {
    fields: { scanPending: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
    headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
  });
}
