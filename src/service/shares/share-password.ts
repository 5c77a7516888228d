import type { Ctx, RequestContext } from "../../context.ts";
import { normalizeUnlockCode, SHARE_PASSWORD } from "../../contract/unlock-code.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { invalidField } from "../../errors.ts";
import { UNLOCK_CODE_LENGTH } from "../../lib/secrets/ids.ts";
import { addressSubject } from "../accounts/rate-limits.ts";
import { PASSWORD_HASH_PREFIX, type PasswordHash } from "./contract.ts";

/** What opens a protected share beside its handoff link: a code that the server made, or the password of its sender. */
export type UnlockKind = "code" | "password";

/** Returns the kind of a share's protection, which the stored hash tells; null for a share without protection. */
export function unlockKind({ unlock_hash }: Pick<ShareRow, "unlock_hash">): UnlockKind | null {
  if (unlock_hash === null) return null;
  return unlock_hash.startsWith(PASSWORD_HASH_PREFIX) ? "password" : "code";
}

/** Returns what a person entered for a share in the form in which it is compared: a password stays as it is. */
export const normalizeUnlockText = (share: Pick<ShareRow, "unlock_hash">, text: string): string =>
  unlockKind(share) === "password" ? text : normalizeUnlockCode(text);

/** Returns the lengths of what opens a protected share. Pages take a text of another length for a typing error, which is not a guess. */
export const unlockLengths = (share: Pick<ShareRow, "unlock_hash">): { readonly minLength: number; readonly maxLength: number } =>
  unlockKind(share) === "password" ? SHARE_PASSWORD : { minLength: UNLOCK_CODE_LENGTH, maxLength: UNLOCK_CODE_LENGTH };

/** The fields of a request about protection. */
interface SentProtection {
  readonly protect?: boolean | null | undefined;
  readonly password?: string | null | undefined;
  readonly shareShortId?: string | null | undefined;
}

/** Fields whose password is replaced by its hash, so that nothing that is stored, logged or passed on contains it. */
export type Sealed<Fields extends SentProtection> = Omit<Fields, "password" | "passwordHash"> & {
  readonly password?: undefined;
  readonly passwordHash?: PasswordHash;
};

/**
 * Replaces the password of a request by its hash, and protects the share then. Must not run in a transaction, because hashing is slow. A file that
 * joins a shipment has its settings, so its password is not used. Throws VALIDATION_FAILED with `protect: false`, UNAVAILABLE as `PasswordHasher`
 * does.
 */
export async function sealPassword<Fields extends SentProtection>(
  ctx: Pick<Ctx, "passwordHasher" | "keyring">,
  { address }: Pick<RequestContext, "address">,
  { password, ...fields }: Fields,
): Promise<Sealed<Fields>> {
  const others = fields as Omit<Fields, "password" | "passwordHash">;
  if (password == null) return others;
  if (fields.protect === false) throw invalidField("password", "A share with a password is protected. Omit protect, or omit password.");
  if (fields.shareShortId) return others;
  const hash = await ctx.passwordHasher.hash(addressSubject(ctx.keyring, address), password);
  return { ...others, protect: true, passwordHash: toPasswordHash(hash) };
}

/** Returns whether a text is the password of a protected share. Must not run in a transaction. Throws UNAVAILABLE as `PasswordHasher` does. */
export const matchesPassword = async (
  ctx: Pick<Ctx, "passwordHasher" | "keyring">,
  { address }: Pick<RequestContext, "address">,
  { unlock_hash }: Pick<ShareRow, "unlock_hash">,
  password: string,
): Promise<boolean> => {
  const hash = (unlock_hash ?? "").slice(PASSWORD_HASH_PREFIX.length);
  return await ctx.passwordHasher.verify(addressSubject(ctx.keyring, address), { password, hash });
};

const toPasswordHash = (hash: string): PasswordHash => `${PASSWORD_HASH_PREFIX}${hash}` as PasswordHash;
