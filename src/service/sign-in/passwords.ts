import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { newUuid } from "../../lib/ids.ts";
import { countAttempt, forgetAttempts } from "./attempts.ts";

export interface TriedPassword {
  /** The account; undefined if there is none that may sign in. */
  readonly userId: string | undefined;
  /** What the tries are counted by: the account's ID, or what was written for one. */
  readonly account: string;
  readonly password: string;
}

/**
 * Whether a password is that of an account; counts the try (accounts, "Attempts"). Takes as long for an account that does not exist or has no
 * password. Throws RATE_LIMITED.
 */
export async function tryPassword(
  ctx: Ctx,
  { address }: Pick<RequestContext, "address">,
  { userId, account, password: tried }: TriedPassword,
): Promise<boolean> {
  const attempt = { kind: "password", account, address } as const;
  await countAttempt(ctx, attempt);
  const { password } = await (await ctx.auth()).$context;
  const hash = userId === undefined ? undefined : await findPasswordHash(ctx.db, userId);
  if (hash === undefined) {
    await password.hash(tried);
    return false;
  }
  const isRight = await password.verify({ hash, password: tried });
  if (isRight) await forgetAttempts(ctx, attempt);
  return isRight;
}

/** Sets the password of an account, which may have had none. */
export async function savePassword({ db, now, random }: TransactionCtx, userId: string, password: string): Promise<void> {
  const nowMs = now();
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

async function findPasswordHash(db: Db, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("sign_in_methods")
    .select("password")
    .where("user_id", "=", userId)
    .where("provider_id", "=", "credential")
    .executeTakeFirst();
  return row?.password ?? undefined;
}
