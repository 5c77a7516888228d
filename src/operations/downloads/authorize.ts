import type { Call, Ctx, TxCtx } from "../../context.ts";
import { type DeliverableFile, findDeliverable, type SharePolicy } from "../../db/deliveries.ts";
import { checkUnlocked, type UnlockCredentials, unlockInvalid } from "../protection/check-unlocked.ts";
import { checkAvailable, checkPaid, checkReady, fileNotFound } from "./check-downloadable.ts";

export interface Authorized {
  readonly file: DeliverableFile;
  readonly share: SharePolicy;
}

/**
 * The one rule of who may have a file's bytes, on every road: throws NOT_FOUND or SCAN_BLOCKED, UNLOCK_REQUIRED or UNLOCK_INVALID,
 * PAYMENT_REQUIRED, SCAN_PENDING, in that order (decisions, "Downloads"). Counts nothing.
 */
export async function authorize(ctx: Ctx, call: Call, fileId: string, sent: UnlockCredentials): Promise<Authorized> {
  const found = await findDeliverable(ctx.db, fileId);
  if (!found) throw fileNotFound();
  const { file, share } = found;
  checkAvailable(ctx, file, share);
  await checkUnlocked(ctx, call, share, sent);
  checkPaid(call.actor, file, share);
  checkReady(file);
  return found;
}

/** Holds an authorisation against the present state, within the transaction that acts on it; throws as `authorize` does. */
export async function reauthorize(ctx: TxCtx, before: Authorized): Promise<Authorized> {
  const now = await findDeliverable(ctx.db, before.file.id);
  if (!now) throw fileNotFound();
  checkAvailable(ctx, now.file, now.share);
  if (now.share.generation !== before.share.generation) throw unlockInvalid();
  checkReady(now.file);
  return now;
}
