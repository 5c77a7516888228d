import type { Call, Ctx } from "../../context.ts";
import { findRefusal, type RateState, takeRate } from "../../db/rate-windows.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { rateLimited } from "../../domain/rate-limited.ts";
import { AppError } from "../../errors.ts";
import { addressUses } from "../address-uses.ts";
import { matchesHandoffToken, matchesUnlockCode } from "./credentials.ts";
import { isUnlockToken } from "./unlock-token.ts";

/** What a caller sends to get past a protected share. */
export interface UnlockCredentials {
  readonly unlockCode?: string | null;
  readonly unlockToken?: string | null;
  readonly handoffToken?: string | null;
}

type ProtectedShare = Pick<ShareRow, "short_id" | "generation" | "unlock_hash" | "handoff_hash">;

/**
 * Throws UNLOCK_REQUIRED without a credential and UNLOCK_INVALID with wrong ones, where the share is protected; RATE_LIMITED for a code
 * after too many wrong ones. Tokens and delivery links are never held up by others' guesses (decisions, "Accounts, keys, tiers").
 */
export async function checkUnlocked(ctx: Ctx, call: Pick<Call, "address">, share: ProtectedShare, sent: UnlockCredentials): Promise<void> {
  if (share.unlock_hash === null) return;
  if (sent.unlockToken && isUnlockToken(ctx, share, sent.unlockToken)) return;
  if (sent.handoffToken && matchesHandoffToken(share, sent.handoffToken)) return;
  if (sent.unlockCode && (await tryUnlockCode(ctx, call, share, sent.unlockCode))) return;
  if (sent.unlockCode || sent.unlockToken || sent.handoffToken) throw unlockInvalid();
  throw new AppError(
    "UNLOCK_REQUIRED",
    "This share is protected. Send its unlock code, or open the private delivery link that its sender gave you.",
    {
      fields: { unlockRequired: true },
    },
  );
}

export const unlockInvalid = (): AppError =>
  new AppError("UNLOCK_INVALID", "That does not unlock this share. Check the code, or ask its sender for the present one.", {
    fields: { unlockRequired: true },
  });

/** Whether the code is right. Wrong ones count, exactly, by share and address and by share; throws RATE_LIMITED past their caps. */
async function tryUnlockCode(ctx: Ctx, call: Pick<Call, "address">, share: ProtectedShare, code: string): Promise<boolean> {
  const outcome = await ctx.tx(async (ctx) => {
    const uses = [
      ...addressUses(ctx, { name: "unlockPerAddress", address: call.address, about: `${share.short_id} ` }),
      { name: "unlockPerShare", subject: share.short_id, rate: ctx.config.rates.unlockPerShare, nowMs: ctx.now() } as const,
    ];
    const refusal = await findRefusal(ctx.db, uses);
    if (refusal) return refusal;
    if (matchesUnlockCode(ctx, share, code)) return true;
    for (const use of uses) await takeRate(ctx.db, use);
    return false;
  });
  if (typeof outcome === "object") throw tooManyCodes(outcome, ctx.now());
  return outcome;
}

const tooManyCodes = ({ resetsAtMs }: RateState, nowMs: number): AppError =>
  rateLimited({
    nowMs,
    resetsAtMs,
    message: () => "Too many wrong unlock codes. Wait a while, or use the private delivery link.",
    fields: (wait) => ({ ...wait }),
  });
