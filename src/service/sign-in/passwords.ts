import type { Ctx, RequestContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
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
  const attempt = { account, address };
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

async function findPasswordHash(db: Db, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("sign_in_methods")
    .select("password")
    .where("user_id", "=", userId)
    .where("provider_id", "=", "credential")
    .executeTakeFirst();
  return row?.password ?? undefined;
}
