import type { TxCtx } from "../../context.ts";
import { takeAll } from "../../db/rate-windows.ts";
import type { RateName } from "../../domain/rates.ts";
import { AppError } from "../../errors.ts";
import { addressUses } from "../address-uses.ts";

/** Counts one use of an address's allowance, in the caller's transaction. Throws RATE_LIMITED, with `Retry-After`, past it. */
export async function takeAddressRate(ctx: TxCtx, { name, address }: { name: RateName; address: string }): Promise<void> {
  const state = await takeAll(ctx.db, addressUses(ctx, { name, address }));
  if (state.allowed) return;
  const { limit } = ctx.config.rates[name];
  const retryAfterSeconds = Math.max(1, Math.ceil((state.resetsAtMs - ctx.now()) / 1000));
  throw new AppError("RATE_LIMITED", `Your address has used up its ${limit} ${name} for now. Try again in ${retryAfterSeconds} seconds.`, {
    fields: { retryAfterSeconds, resetAt: new Date(state.resetsAtMs).toISOString() },
    headers: { "Retry-After": String(retryAfterSeconds) },
  });
}
