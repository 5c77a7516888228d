import type { Ctx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { isStillPassword, tryPassword } from "./passwords.ts";
import { hasSecondFactor } from "./second-factor.ts";
import { awaitCode } from "./sign-in-with-code.ts";
import { startSession } from "./start-session.ts";

/**
 * `POST /auth/sign-in`: starts a session, or asks for the code of the second step. Unknown, disabled and wrong look the same, also in time.
 */
export const signIn: Operation<"signIn"> = async (ctx, call, { login, password }) => {
  const user = await findByLogin(ctx, login);
  const mayTry = user?.disabled_at === null;
  const hash = await tryPassword(ctx, call, { userId: mayTry ? user.id : undefined, account: user?.id ?? login.trim(), password });
  if (!user || hash === undefined) throw wrongPassword();
  if (await hasSecondFactor(ctx.db, user.id)) throw await awaitCode(ctx, user.id);
  return await ctx.transaction(async (ctx) => {
    if (!(await isStillPassword(ctx.db, user.id, hash))) throw wrongPassword();
    return await startSession(ctx, call, user);
  });
};

async function findByLogin({ db }: Ctx, login: string): Promise<UserRow | undefined> {
  const text = login.trim().toLowerCase();
  return await db
    .selectFrom("users")
    .selectAll()
    .where((where) => where.or([where("email", "=", text), where("username", "=", text)]))
    .executeTakeFirst();
}

const wrongPassword = (): AppError =>
  new AppError(
    "UNAUTHENTICATED",
    "This address and password do not match an account. Check both, or ask the administrator for a new password.",
  );
