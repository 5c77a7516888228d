import { addressSubject, wideAddressSubject } from "../auth/address-subject.ts";
import type { Ctx } from "../context.ts";
import type { Actor } from "../domain/actor.ts";
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

/** The key of a caller; without one its address, and, for IPv6, the /48 around it (decisions, "Accounts, keys, tiers"). */
export function callerSubjects(ctx: Pick<Ctx, "keyring">, { actor, address }: Caller): readonly [CallerSubject, ...CallerSubject[]] {
  if (actor?.kind === "user") return [{ subject: actor.keyId, times: 1 }];
  const own = { subject: addressSubject(ctx.keyring, address), times: 1 };
  const wide = wideAddressSubject(ctx.keyring, address);
  return wide === undefined ? [own] : [own, { subject: wide, times: WIDE_GROUP_FACTOR }];
}
