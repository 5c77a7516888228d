import { addressSubject } from "../../auth/address-subject.ts";
import type { TxCtx } from "../../context.ts";
import { takeRate } from "../../db/rate-windows.ts";
import type { RateName } from "../../domain/rates.ts";
import { AppError } from "../../errors.ts";

/** Counts one use of an address's allowance, in the caller's transaction. Throws RATE_LIMITED, with `Retry-After`, past it. */
export async function takeAddressRate(ctx: TxCtx, { name, address }: { name: RateName; address: string }): Promise<void> {
  const nowMs = ctx.now();
  const rate = ctx.config.rates[name];
  const state = await takeRate(ctx.db, { name, subject: addressSubject(ctx.keyring, address), rate, nowMs });
  if (state.allowed) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((state.resetsAtMs - nowMs) / 1000));
  throw new AppError(
    "RATE_LIMITED",
    `Your address has used up its ${rate.limit} ${name} for now. Try again in ${retryAfterSeconds} seconds.`,
    {
      fields: { retryAfterSeconds, resetAt: new Date(state.resetsAtMs).toISOString() },
      headers: { "Retry-After": String(retryAfterSeconds) },
    },
  );
}
