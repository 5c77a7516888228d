import type { RateName } from "../../config/rates.ts";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { addressUses, consumeAll, type RateUse, rateLimited, resetRate } from "../accounts/rate-limits.ts";

/** A kind of attempt for an account. */
interface Tried {
  readonly kind: "password" | "code" | "passkey";
  /** The account's ID, or the name that was entered, whether an account has it or not. */
  readonly account: string;
}

/** An attempt with a password, a code or a passkey, and the IP address of the caller. */
export interface Attempt extends Tried {
  readonly address: string;
}

/** The limits of an account. A right password or code resets the first one. Passkeys have none, because they cannot be guessed. */
const LIMITS = { password: ["passwordTries"], code: ["codeTries", "codeTriesDaily"], passkey: [] } as const satisfies Record<
  string,
  RateName[]
>;

/**
 * Counts an attempt for its IP address and its account before the comparison, so that concurrent attempts are counted too (accounts, "Attempts").
 * Throws RATE_LIMITED.
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

/** Resets the attempts of an account after a right one. */
export async function forgetAttempts(ctx: Ctx | TransactionCtx, tried: Tried & { readonly kind: "password" | "code" }): Promise<void> {
  await resetRate(ctx.db, accountUse(ctx, tried, LIMITS[tried.kind][0]));
}

const accountUse = (ctx: Ctx | TransactionCtx, { account }: Tried, name: RateName): RateUse => ({
  name,
  subject: ctx.keyring.pseudonym(account.toLowerCase()),
  rate: ctx.config.rates[name],
  nowMs: ctx.now(),
});
