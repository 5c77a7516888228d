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
  /** The address that the link is mailed to and proves; null if it is not mailed. */
  readonly mailedTo: string | null;
  /** The account of the administrator who creates the link. */
  readonly createdBy?: string | undefined;
  readonly lifetimeMs: number;
}

/**
 * Creates a one-time link and ends the account's earlier one of the same purpose and kind, mailed or not: anybody can ask for a mailed link, which
 * must not end an administrator's. Resolves to its token, of which only a hash is stored.
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

/** Finds a link that can be used. */
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

/** Uses up a link. Of several concurrent uses, one succeeds. Throws FORBIDDEN. */
export async function useAccountLink(ctx: TransactionCtx, token: string, purpose: AccountLinkTable["purpose"]): Promise<AccountLinkTable> {
  const link = await findAccountLink(ctx, token, purpose);
  if (!link) throw linkEnded();
  await ctx.db.deleteFrom("account_links").where("token_hash", "=", link.token_hash).execute();
  return link;
}

export const linkEnded = (): AppError => new AppError("FORBIDDEN", "This link was used or has expired. Ask for a new one.");

/** Ends the links that set a password of an account, after one of them was used. */
export async function endResetLinks(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("account_links").where("user_id", "=", userId).where("purpose", "=", "reset").execute();
}

/** Ends a change of the account's address that waits for its confirmation. Resolves to false if there is none. */
export async function endEmailChange(db: TransactionDb, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("account_links")
    .where("user_id", "=", userId)
    .where("purpose", "=", "email")
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends the links that were mailed for an account whose address has changed. */
export async function endMailedLinks(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("account_links").where("user_id", "=", userId).where("mailed_to", "is not", null).execute();
}

/** Ends the links of an account that were mailed to one address. */
export async function endLinksTo(db: TransactionDb, userId: string, email: string): Promise<void> {
  await db.deleteFrom("account_links").where("user_id", "=", userId).where("mailed_to", "=", email).execute();
}

/** Ends the links that an administrator has created for others. */
export async function deleteLinksMadeBy(db: TransactionDb, userId: string): Promise<void> {
  await db.deleteFrom("account_links").where("created_by", "=", userId).execute();
}

/** Deletes links that have expired. */
export async function deleteExpiredLinks({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db.deleteFrom("account_links").where("expires_at", "<=", now()).execute();
}
