import type { Ctx, RequestContext } from "../../context.ts";
import type { UnlockKind } from "../../contract/scalars.ts";
import { normalizeUnlockCode, passwordLength, SHARE_PASSWORD } from "../../contract/unlock-code.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { invalidField } from "../../errors.ts";
import { UNLOCK_CODE_LENGTH } from "../../lib/secrets/ids.ts";
import { addressSubject, consumeAddressRate } from "../accounts/rate-limits.ts";
import { PASSWORD_HASH_PREFIX, type PasswordHash } from "./contract.ts";

/** Returns the kind of a share's protection, which the stored hash tells; null for a share without protection. */
export function unlockKind({ unlock_hash }: Pick<ShareRow, "unlock_hash">): UnlockKind | null {
  if (unlock_hash === null) return null;
  return unlock_hash.startsWith(PASSWORD_HASH_PREFIX) ? "password" : "code";
}

/** Returns what a person entered for a share in the form in which it is compared: a password stays as it is. */
export const normalizeUnlockText = (share: Pick<ShareRow, "unlock_hash">, text: string): string =>
  unlockKind(share) === "password" ? text : normalizeUnlockCode(text);

/**
 * Returns the length of an entered text and the required one, if no code or password of the share can have that length. Pages take such a text for a
 * typing error, which is not a guess.
 */
export function findWrongLength(
  share: Pick<ShareRow, "unlock_hash">,
  entered: string,
): { readonly length: number; readonly required: number } | undefined {
  const text = normalizeUnlockText(share, entered);
  if (unlockKind(share) !== "password") return text.length === UNLOCK_CODE_LENGTH ? undefined : toLengths(text.length, UNLOCK_CODE_LENGTH);
  const isTooLong = [...text].length > SHARE_PASSWORD.maxLength;
  const length = passwordLength(text);
  return isTooLong || length < SHARE_PASSWORD.minLength ? toLengths(length, SHARE_PASSWORD.minLength) : undefined;
}

const toLengths = (length: number, required: number) => ({ length, required });

/** The fields of a request about protection. */
export interface SentProtection {
  readonly protect?: boolean | null | undefined;
  readonly password?: string | null | undefined;
  readonly shareShortId?: string | null | undefined;
}

/** Fields whose password is replaced by its hash, so that nothing that is stored, logged or passed on contains it. */
export type Sealed<Fields extends SentProtection> = Omit<Fields, "password" | "passwordHash"> & {
  readonly password?: undefined;
  readonly passwordHash?: PasswordHash;
};

/** What hashing a password needs: the queue of hashes, and the rate of the address. */
export type SealingCtx = Pick<Ctx, "passwordHasher" | "keyring" | "config" | "now" | "transaction">;

/** Returns the hash of a password. */
export type HashPassword = (password: string) => Promise<PasswordHash>;

/**
 * Returns the function that hashes passwords for a caller. Each call counts for the `passwordHashes` of the address, and waits for its turn;
 * `isPatient` lets it wait for minutes, for a request whose bytes would otherwise be lost. Throws RATE_LIMITED, and UNAVAILABLE as
 * `PasswordHasher` does.
 */
export const hashFor =
  (ctx: SealingCtx, { address }: Pick<RequestContext, "address">, { isPatient = false } = {}): HashPassword =>
  async (password) => {
    await countHash(ctx, address);
    const hash = await ctx.passwordHasher.hash(addressSubject(ctx.keyring, address), password, { isPatient });
    return `${PASSWORD_HASH_PREFIX}${hash}` as PasswordHash;
  };

/** Counts a hash that is computed for an IP address, whatever its result: anybody can ask for one, and each takes a processor. */
async function countHash(ctx: SealingCtx, address: string): Promise<void> {
  await ctx.transaction((ctx) => consumeAddressRate(ctx, { name: "passwordHashes", address }));
}

/**
 * Replaces the password of a request by its hash, and protects the share then. Must not run in a transaction, because hashing is slow. A file that
 * joins a shipment has its settings, so its password is not used. Throws VALIDATION_FAILED with `protect: false`, and as `hashFor` does.
 */
export async function sealPassword<Fields extends SentProtection>(
  ctx: SealingCtx,
  call: Pick<RequestContext, "address">,
  { password, ...fields }: Fields,
  hash: HashPassword = hashFor(ctx, call),
): Promise<Sealed<Fields>> {
  const others = fields as Omit<Fields, "password" | "passwordHash">;
  if (password == null) return others;
  if (fields.protect === false) throw invalidField("password", "A share with a password is protected. Omit protect, or omit password.");
  if (fields.shareShortId) return others;
  return { ...others, protect: true, passwordHash: await hash(password) };
}

/** Returns whether a text is the password of a protected share. Must not run in a transaction. Throws as `hashFor` does. */
export const matchesPassword = async (
  ctx: SealingCtx,
  { address }: Pick<RequestContext, "address">,
  { unlock_hash }: Pick<ShareRow, "unlock_hash">,
  password: string,
): Promise<boolean> => {
  await countHash(ctx, address);
  const hash = (unlock_hash ?? "").slice(PASSWORD_HASH_PREFIX.length);
  return await ctx.passwordHasher.verify(addressSubject(ctx.keyring, address), { password, hash });
};
