import { addressSubject, wideAddressSubject } from "../auth/address-subject.ts";
import type { TxCtx } from "../context.ts";
import type { RateUse } from "../db/rate-windows.ts";
import { WIDE_GROUP_FACTOR } from "../domain/address.ts";
import type { RateName } from "../domain/rates.ts";

/** What one use of an address counts as: of its own allowance and, for IPv6, of its /48's; `about` keeps apart what has allowances of its own. */
export function addressUses(
  ctx: Pick<TxCtx, "config" | "keyring" | "now">,
  { name, address, about = "" }: { name: RateName; address: string; about?: string },
): RateUse[] {
  const nowMs = ctx.now();
  const rate = ctx.config.rates[name];
  const wide = wideAddressSubject(ctx.keyring, address);
  const own = { name, subject: about + addressSubject(ctx.keyring, address), rate, nowMs };
  if (wide === undefined) return [own];
  return [own, { name, subject: about + wide, rate: { ...rate, limit: rate.limit * WIDE_GROUP_FACTOR }, nowMs }];
}
