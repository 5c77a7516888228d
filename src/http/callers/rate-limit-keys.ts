import type { Ctx } from "../../context.ts";
import { type Actor, AGENT_GROUP_FACTOR, SUBNET48_FACTOR, userSubject } from "../../service/accounts/actor.ts";
import { addressSubject, subnet48Subject } from "../../service/accounts/rate-limits.ts";

/** The sender of a request. `actor` is undefined if only the address counts. */
export interface Caller {
  readonly actor: Actor | undefined;
  readonly address: string;
}

/** A key that a request counts under, and the multiplier of the limit for that key. */
export interface RateLimitKey {
  readonly subject: string;
  readonly multiplier: number;
}

/**
 * Returns the keys that a request counts under: the account, and for a free agent the group of its address; without an API key the address, and for
 * IPv6 also its /48 (request limits, "Who counts as one caller").
 */
export function rateLimitKeys(ctx: Pick<Ctx, "keyring">, { actor, address }: Caller): readonly [RateLimitKey, ...RateLimitKey[]] {
  if (actor?.kind === "user") {
    const owner = { subject: userSubject(actor.userId), multiplier: 1 };
    return actor.poolBytes === undefined ? [owner] : [owner, { subject: actor.quotaOwner, multiplier: AGENT_GROUP_FACTOR }];
  }
  const own = { subject: addressSubject(ctx.keyring, address), multiplier: 1 };
  const subnet48 = subnet48Subject(ctx.keyring, address);
  return subnet48 === undefined ? [own] : [own, { subject: subnet48, multiplier: SUBNET48_FACTOR }];
}
