import { addressSubject, wideAddressSubject } from "../auth/address-subject.ts";
import type { Ctx } from "../context.ts";
import { type Actor, AGENT_GROUP_FACTOR } from "../domain/actor.ts";
import { WIDE_GROUP_FACTOR } from "../domain/address.ts";

/** Who asks; `actor` undefined where all that counts is the address. */
export interface Caller {
  readonly actor: Actor | undefined;
  readonly address: string;
}

/** Whom a request counts as, and how many times a limit that one may have. */
export interface CallerSubject {
  readonly subject: string;
  readonly times: number;
}

/**
 * The owner of the caller's key, for an agent of the free tier also all agents of its address; without a key the caller's address, and, for
 * IPv6, the /48 around it (request limits, "Who counts as one caller").
 */
export function callerSubjects(ctx: Pick<Ctx, "keyring">, { actor, address }: Caller): readonly [CallerSubject, ...CallerSubject[]] {
  if (actor?.kind === "user") {
    const owner = { subject: `user:${actor.userId}`, times: 1 };
    return actor.poolBytes === undefined ? [owner] : [owner, { subject: actor.quotaOwner, times: AGENT_GROUP_FACTOR }];
  }
  const own = { subject: addressSubject(ctx.keyring, address), times: 1 };
  const wide = wideAddressSubject(ctx.keyring, address);
  return wide === undefined ? [own] : [own, { subject: wide, times: WIDE_GROUP_FACTOR }];
}
