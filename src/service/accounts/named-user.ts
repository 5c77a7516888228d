import type { Db } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { findUser, getUser, isAddressVerified } from "./users.ts";

/** Maximum number of accounts that the error for a shared address names. */
const NAMED_ACCOUNTS = 5;

/** Finds an account like `findNamedUser`. Throws NOT_FOUND, and the CONFLICT of `findNamedUser`. */
export const getNamedUser = async (db: Db, name: string): Promise<UserRow> => (await findNamedUser(db, name)) ?? (await getUser(db, name));

/**
 * Finds an account by its ID, username or verified email address; an unverified address may belong to somebody else (administration, "Accounts that
 * share an address"). Throws CONFLICT if several accounts have the address and none of them has verified it.
 */
export async function findNamedUser(db: Db, name: string): Promise<UserRow | undefined> {
  const address = name.trim().toLowerCase();
  if (!address.includes("@")) return await findUser(db, name);
  const users = await db
    .selectFrom("users")
    .selectAll()
    .where((where) => where.or([where("email", "=", address), where("claimed_email", "=", address)]))
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  const verified = users.find(isAddressVerified);
  const [first, ...others] = users;
  if (verified || others.length === 0) return verified ?? first;
  const ids = users.slice(0, NAMED_ACCOUNTS).map(({ id }) => id);
  const message = `${users.length} accounts have the address ${address}, and none of them has verified it. Use the ID of one: ${ids.join(", ")}.`;
  throw new AppError("CONFLICT", message);
}

/**
 * Finds an account that is to get a role, a key or a way to sign in. Throws NOT_FOUND, and CONFLICT for an address that is shared or not verified.
 */
export async function getTrustedUser(db: Db, name: string): Promise<UserRow> {
  const user = await getNamedUser(db, name);
  if (!name.includes("@") || isAddressVerified(user)) return user;
  const message = `The account ${user.id} has not verified this address, so it may be a stranger's. If you know whose it is, use its ID.`;
  throw new AppError("CONFLICT", message);
}
