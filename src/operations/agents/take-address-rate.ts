import { addressSubject } from "../../auth/address-subject.ts";
import type { TxCtx } from "../../context.ts";
import { takeRate } from "../../db/rate-windows.ts";
import { addressWideGroup } from "../../domain/address.ts";
import type { RateName } from "../../domain/rates.ts";
import { AppError } from "../../errors.ts";

/** A /48 of IPv6 may do as much as so many of its /64. */
const WIDE_FACTOR = 16;

/** Counts one use of an address's allowance, in the caller's transaction. Throws RATE_LIMITED, with `Retry-After`, past it. */
export async function takeAddressRate(ctx: TxCtx, { name, address }: { name: RateName; address: string }): Promise<void> {
  const nowMs = ctx.now();
  const rate = ctx.config.rates[name];
  const own = await takeRate(ctx.db, { name, subject: addressSubject(ctx.keyring, address), rate, nowMs });
  const wideGroup = addressWideGroup(address);
  const wide = wideGroup && {
    name,
    subject: ctx.keyring.pseudonym(wideGroup),
    rate: { ...rate, limit: rate.limit * WIDE_FACTOR },
    nowMs,
  };
  const state = own.allowed && wide ? await takeRate(ctx.db, wide) : own;
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
