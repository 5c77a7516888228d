import type { Ctx, TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import {
  type AccountDetails,
  type AddressTrust,
  addressOf,
  checkEmail,
  claimColumns,
  findOwner,
  getUser,
  insertUser,
  isAddressVerified,
  type NewUser,
  trustColumns,
  updateUserRow,
} from "../accounts/users.ts";
import type { AuditOrigin } from "../audit-log/record-audit.ts";
import { endLinksTo } from "./account-links.ts";

export interface AddressToSet {
  readonly email: string;
  /** Whether the person has proved the address; otherwise the account's verification does not change. */
  readonly isProved: boolean;
}

/**
 * Marks the address of an account as its owner's, unless the account has another address meanwhile. Throws CONFLICT if another account has verified
 * it.
 */
export async function markProved(ctx: TransactionCtx, userId: string, email: string | null): Promise<void> {
  const user = await getUser(ctx.db, userId);
  if (email !== null && addressOf(user) === email) await setAddress(ctx, user, { email, isProved: true });
}

/**
 * Sets the address of an account. A person who proves an address gets it from an account that never verified it (sign in, "Addresses that have an
 * account"). Throws CONFLICT if another account has it.
 */
export async function setAddress(ctx: TransactionCtx, user: UserRow, { email, isProved }: AddressToSet): Promise<void> {
  if (isProved) await freeAddress(ctx, email, user.id);
  const owner = await findOwner(ctx.db, email);
  if (owner && owner.id !== user.id)
    throw new AppError("CONFLICT", "Another account has this address. Choose another one, or sign in to that account.");
  const trust = isProved ? trustColumns("proved", ctx.now()) : { email_proved_at: null };
  await updateUserRow(ctx, user, { email, claimed_email: null, ...trust });
}

/** Removes an address from an account that never verified it, for the account of the person who has proved it. */
async function freeAddress(ctx: TransactionCtx, email: string, userId?: string): Promise<void> {
  const owner = await findOwner(ctx.db, email);
  if (!owner || owner.id === userId || isAddressVerified(owner)) return;
  await updateUserRow(ctx, owner, claimColumns(owner.id, email));
  await endLinksTo(ctx.db, owner.id, email);
}

/**
 * Inserts an account as `insertUser` does. A person who has proved the address, or an administrator, gets it from an account that never verified it.
 */
export async function insertAccount(ctx: TransactionCtx, origin: AuditOrigin, newUser: NewUser): Promise<AccountDetails> {
  if (newUser.trust === "proved" || newUser.isAdmin) await freeAddress(ctx, checkEmail(newUser.email));
  return await insertUser(ctx, origin, newUser);
}

/** Returns the trust in the address with which somebody signs up (sign in, "Verified and proved"). */
export function signUpTrust(
  { config }: Pick<Ctx, "config">,
  { isProved, isAdmin }: { readonly isProved: boolean; readonly isAdmin: boolean },
): AddressTrust {
  if (isProved) return "proved";
  return config.mail === undefined || isAdmin ? "trusted" : "entered";
}

/** Finds the account that has verified an address, so that another account cannot get it. */
export async function findRival(ctx: TransactionCtx, { id, email }: Pick<UserRow, "id" | "email">): Promise<UserRow | undefined> {
  const owner = await findOwner(ctx.db, email);
  return owner && owner.id !== id && owner.email_verified === 1 ? owner : undefined;
}
