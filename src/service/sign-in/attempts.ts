import type { RateName } from "../../config/rates.ts";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { addressUses, consumeAll, type RateUse, rateLimited, resetRate } from "../accounts/rate-limits.ts";

/** What is tried, for whose account. */
interface Tried {
  readonly kind: "password" | "code" | "passkey";
  /** The account's ID, or what was written for an account, known or not. */
  readonly account: string;
}

/** A try of a password, a code or a passkey, and the address that it comes from. */
export interface Attempt extends Tried {
  readonly address: string;
}

/** The limits of an account. A right password or code ends the count of the first one. Passkeys cannot be guessed. */
const LIMITS = { password: ["passwordTries"], code: ["codeTries", "codeTriesDaily"], passkey: [] } as const satisfies Record<
  string,
  RateName[]
>;

/**
 * Counts a try of a password, a code or a passkey, for its address and its account, before it is compared, so that tries at the same time are counted
 * as well (accounts, "Attempts"). Throws RATE_LIMITED.
 */
export async function countAttempt(ctx: Ctx, { address, ...tried }: Attempt): Promise<void> {
  const uses = [...addressUses(ctx, { name: "signIns", address }), ...LIMITS[tried.kind].map((name) => accountUse(ctx, tried, name))];
  const exceeded = await ctx.transaction(async (ctx) => await consumeAll(ctx.db, uses));
  if (!exceeded) return;
  throw rateLimited({
    nowMs: ctx.now(),
    resetsAtMs: exceeded.resetsAtMs,
    message: ({ retryAfterSeconds }) => `Too many attempts to sign in. Try again in ${retryAfterSeconds} seconds.`,
    fields: (wait) => ({ ...wait }),
  });
}

/** Forgets the tries of an account, of which the last one has just been right. */
export async function forgetAttempts(ctx: Ctx | TransactionCtx, tried: Tried & { readonly kind: "password" | "code" }): Promise<void> {
  await resetRate(ctx.db, accountUse(ctx, tried, LIMITS[tried.kind][0]));
}

const accountUse = (ctx: Ctx | TransactionCtx, { account }: Tried, name: RateName): RateUse => ({
  name,
  subject: ctx.keyring.pseudonym(account.toLowerCase()),
  rate: ctx.config.rates[name],
  nowMs: ctx.now(),
});
