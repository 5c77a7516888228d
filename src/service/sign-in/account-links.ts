import type { Ctx, TransactionCtx } from "../../context.ts";
import type { TransactionDb } from "../../db/database.ts";
import type { AccountLinkTable } from "../../db/tables/sign-in.ts";
import { AppError } from "../../errors.ts";
import { newSecret } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";

/** A one-time link to an account. */
export interface NewAccountLink {
  readonly userId: string;
  readonly purpose: AccountLinkTable["purpose"];
  /** The address that it is mailed to, which it proves; null: none. */
  readonly mailedTo: string | null;
  /** The account of the administrator who makes it. */
  readonly createdBy?: string | undefined;
  readonly lifetimeMs: number;
}

/**
 * Creates the only link of an account for a purpose that is mailed, or that is not: an earlier one ends. Anybody can ask for a mailed one, which
 * must not end that of an administrator. Resolves to its token, of which only a hash is kept.
 */
export async function createAccountLink(
  { db, now, random }: Pick<TransactionCtx, "db" | "now" | "random">,
  { userId, purpose, mailedTo, createdBy, lifetimeMs }: NewAccountLink,
): Promise<string> {
  const token = newSecret(random, `${purpose}_`);
  const created_at = now();
  await db
    .deleteFrom("account_links")
    .where("user_id", "=", userId)
    .where("purpose", "=", purpose)
    .where("mailed_to", mailedTo === null ? "is" : "is not", null)
    .execute();
  await db
    .insertInto("account_links")
    .values({
      token_hash: hashToken(token),
      user_id: userId,
      purpose,
      mailed_to: mailedTo,
      created_by: createdBy ?? null,
      created_at,
      expires_at: created_at + lifetimeMs,
    })
    .execute();
  return token;
}

/** Finds a link that may be used. */
export async function findAccountLink(
  { db, now }: Pick<Ctx, "db" | "now">,
  token: string,
  purpose: AccountLinkTable["purpose"],
): Promise<AccountLinkTable | undefined> {
  return await db
    .selectFrom("account_links")
    .selectAll()
    .where("token_hash", "=", hashToken(token))
    .where("purpose", "=", purpose)
    .where("expires_at", ">", now())
    .executeTakeFirst();
}

/** Uses a link up, so that of several uses at the same time one succeeds. Throws FORBIDDEN. */
export async function useAccountLink(ctx: TransactionCtx, token: string, purpose: AccountLinkTable["purpose"]): Promise<AccountLinkTable> {
  const link = await findAccountLink(ctx, token, purpose);
  if (!link) throw linkEnded();
  await ctx.db.deleteFrom("account_links").where("token_hash", "=", link.token_hash).execute();
  return link;
}

export const linkEnded = (): AppError => new AppError("FORBIDDEN", "This link was used or has expired. Ask for a new one.");

/** Ends the links that set a password of an account, once one of them has. */
export async function endResetLinks(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("account_links").where("user_id", "=", userId).where("purpose", "=", "reset").execute();
}

/** Ends a change of the account's address that waits for its confirmation. False if there is none. */
export async function endEmailChange(db: TransactionDb, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("account_links")
    .where("user_id", "=", userId)
    .where("purpose", "=", "email")
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends the links that were mailed for an account, whose address has changed. */
export async function endMailedLinks(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("account_links").where("user_id", "=", userId).where("mailed_to", "is not", null).execute();
}

/** Ends the links of an account that were mailed to one address. */
export async function endLinksTo(db: TransactionDb, userId: string, email: string): Promise<void> {
  await db.deleteFrom("account_links").where("user_id", "=", userId).where("mailed_to", "=", email).execute();
}

/** Ends the links that an administrator has made for others. */
export async function deleteLinksMadeBy(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("account_links").where("created_by", "=", userId).execute();
}

/** Deletes links that have expired. */
export async function deleteExpiredLinks({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db.deleteFrom("account_links").where("expires_at", "<=", now()).execute();
}
