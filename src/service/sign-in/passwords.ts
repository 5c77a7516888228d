import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { endEmailChange } from "./account-links.ts";
import { countAttempt, forgetAttempts } from "./attempts.ts";
import { hashPassword, verifyPassword } from "./password-hash.ts";

export interface TriedPassword {
  /** The account; undefined if there is none that may sign in. */
  readonly userId: string | undefined;
  /** The subject of the attempt limit: the account's ID in its session, otherwise the entered name (accounts, "Attempts"). */
  readonly account: string;
  readonly password: string;
}

/**
 * Counts an attempt (accounts, "Attempts") and returns the account's hash if the password is right. Takes as long for an account without a password
 * or an unknown one. Callers must check `isStillPassword` in their transaction. Throws RATE_LIMITED.
 */
export async function tryPassword(
  ctx: Ctx,
  { address }: Pick<RequestContext, "address">,
  { userId, account, password: tried }: TriedPassword,
): Promise<string | undefined> {
  const attempt = { kind: "password", account, address } as const;
  await countAttempt(ctx, attempt);
  const hash = userId === undefined ? undefined : await findPasswordHash(ctx.db, userId);
  if (hash === undefined) {
    await hashPassword(tried);
    return undefined;
  }
  if (!(await verifyPassword({ hash, password: tried }))) return undefined;
  await forgetAttempts(ctx, attempt);
  return hash;
}

/**
 * Returns whether a hash is still the account's (undefined: it has none) and the account is enabled. Transactions check this, because the comparison
 * was slow.
 */
export async function isStillPassword(db: TransactionDb, userId: string, hash: string | undefined): Promise<boolean> {
  const user = await db.selectFrom("users").select("disabled_at").where("id", "=", userId).executeTakeFirst();
  return user?.disabled_at === null && (await findPasswordHash(db, userId)) === hash;
}

/** Sets the password of an account, which may have had none. Ends sign-ins that wait for a code, and a pending change of the address. */
export async function savePassword({ db, now, random }: TransactionCtx, userId: string, password: string): Promise<void> {
  const nowMs = now();
  await endEmailChange(db, userId);
  await db.deleteFrom("pending_sign_ins").where("user_id", "=", userId).execute();
  const changed = await db
    .updateTable("sign_in_methods")
    .set({ password, updated_at: nowMs })
    .where("user_id", "=", userId)
    .where("provider_id", "=", "credential")
    .executeTakeFirst();
  if (changed.numUpdatedRows > 0n) return;
  const method = { id: newUuid(random, nowMs), user_id: userId, account_id: userId, provider_id: "credential", password };
  await db
    .insertInto("sign_in_methods")
    .values({ ...method, created_at: nowMs, updated_at: nowMs })
    .execute();
}

/** Returns whether an account can sign in with a password. */
export const hasPassword = async (db: Db, userId: string): Promise<boolean> => (await findPasswordHash(db, userId)) !== undefined;

async function findPasswordHash(db: Db | TransactionDb, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("sign_in_methods")
    .select("password")
    .where("user_id", "=", userId)
    .where("provider_id", "=", "credential")
    .executeTakeFirst();
  return row?.password ?? undefined;
}
