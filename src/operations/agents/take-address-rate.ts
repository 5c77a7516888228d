import type { TxCtx } from "../../context.ts";
import { takeAll } from "../../db/rate-windows.ts";
import { rateLimited } from "../../domain/rate-limited.ts";
import type { RateName } from "../../domain/rates.ts";
import { addressUses } from "../address-uses.ts";

/** Counts one use of an address's allowance, in the caller's transaction. Throws RATE_LIMITED, with `Retry-After`, past it. */
export async function takeAddressRate(ctx: TxCtx, { name, address }: { name: RateName; address: string }): Promise<void> {
  const refusal = await takeAll(ctx.db, addressUses(ctx, { name, address }));
  if (!refusal) return;
  const { limit } = ctx.config.rates[name];
  throw rateLimited({
    nowMs: ctx.now(),
    resetsAtMs: refusal.resetsAtMs,
    message: ({ retryAfterSeconds }) => `Your address has used up its ${limit} ${name} for now. Try again in ${retryAfterSeconds} seconds.`,
    fields: (wait) => ({ ...wait }),
  });
}
