import type { Ctx } from "../../context.ts";
import { addressUses, consumeAll, type RateUse, rateLimited, resetRate } from "../accounts/rate-limits.ts";

/** Whose password is tried, and from where. */
export interface Attempt {
  /** The account's ID, or what was written for one. */
  readonly account: string;
  readonly address: string;
}

/**
 * Counts a try of a password, for its address and its account, before the password is compared, so that tries at the same time are counted
 * as well (accounts, "Attempts"). Throws RATE_LIMITED.
 */
export async function countAttempt(ctx: Ctx, attempt: Attempt): Promise<void> {
  const uses = [...addressUses(ctx, { name: "signIns", address: attempt.address }), accountUse(ctx, attempt)];
  const exceeded = await ctx.transaction(async (ctx) => await consumeAll(ctx.db, uses));
  if (!exceeded) return;
  throw rateLimited({
    nowMs: ctx.now(),
    resetsAtMs: exceeded.resetsAtMs,
    message: ({ retryAfterSeconds }) => `Too many attempts to sign in. Try again in ${retryAfterSeconds} seconds.`,
    fields: (wait) => ({ ...wait }),
  });
}

/** Forgets the tries of an account, whose password has just been right. */
export async function forgetAttempts(ctx: Ctx, attempt: Attempt): Promise<void> {
  await resetRate(ctx.db, accountUse(ctx, attempt));
}

const accountUse = (ctx: Ctx, { account }: Attempt): RateUse => ({
  name: "passwordTries",
  subject: ctx.keyring.pseudonym(account.toLowerCase()),
  rate: ctx.config.rates.passwordTries,
  nowMs: ctx.now(),
});
