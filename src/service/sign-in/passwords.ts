import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { endEmailChange } from "./account-links.ts";
import { countAttempt, forgetAttempts } from "./attempts.ts";

/** Loaded at its first use: most commands need no password. */
const loadCrypto = () => import("better-auth/crypto");

/** Hashes a password with scrypt. Not in a transaction: it takes long. */
export async function hashPassword(password: string): Promise<string> {
  const { hashPassword } = await loadCrypto();
  return await hashPassword(password);
}

export interface TriedPassword {
  /** The account; undefined if there is none that may sign in. */
  readonly userId: string | undefined;
  /** What the tries are counted by: the account's ID in its session, and else what was written for one (accounts, "Attempts"). */
  readonly account: string;
  readonly password: string;
}

/**
 * Finds the hash of an account's password if a password is right; counts the try (accounts, "Attempts"). Takes as long for an account that
 * does not exist or has no password. What follows from it must check `isStillPassword`. Throws RATE_LIMITED.
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
  const { verifyPassword } = await loadCrypto();
  if (!(await verifyPassword({ hash, password: tried }))) return undefined;
  await forgetAttempts(ctx, attempt);
  return hash;
}

/**
 * Whether a hash is that of an account's password (undefined: it has none), and the account not disabled, now that a transaction relies on it:
 * comparing took long.
 */
export async function isStillPassword(db: TransactionDb, userId: string, hash: string | undefined): Promise<boolean> {
  const user = await db.selectFrom("users").select("disabled_at").where("id", "=", userId).executeTakeFirst();
  return user?.disabled_at === null && (await findPasswordHash(db, userId)) === hash;
}

/** Sets the password of an account, which may have had none. Sign-ins with another one that wait for a code end, and so does a change of the address. */
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

/** Whether an account can sign in with a password. */
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
