import type { Ctx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { isUnverified } from "../accounts/user-actor.ts";
import type { Operation } from "../operation.ts";
import { isStillPassword, tryPassword } from "./passwords.ts";
import { hasSecondFactor } from "./second-factor.ts";
import { awaitCode } from "./sign-in-with-code.ts";
import { startSession } from "./start-session.ts";

/**
 * `POST /auth/sign-in`: starts a session, or asks for the code of the second step. Unknown, disabled and wrong accounts have the same response, time
 * and attempt counts.
 */
export const signIn: Operation<"signIn"> = async (ctx, call, { login, password }) => {
  const user = await findByLogin(ctx, login);
  const mayTry = user?.disabled_at === null && !(isUnverified(ctx, user) && isAddress(login));
  const hash = await tryPassword(ctx, call, { userId: mayTry ? user.id : undefined, account: `login ${login.trim()}`, password });
  if (!user || hash === undefined) throw wrongPassword();
  const outcome = await ctx.transaction(async (ctx) => {
    if (!(await isStillPassword(ctx.db, user.id, hash))) throw wrongPassword();
    return (await hasSecondFactor(ctx.db, user.id)) ? await awaitCode(ctx, user.id) : await startSession(ctx, call, user);
  });
  // Throws after the transaction, which must store the token.
  if (outcome instanceof AppError) throw outcome;
  return outcome;
};

async function findByLogin({ db }: Ctx, login: string): Promise<UserRow | undefined> {
  const text = login.trim().toLowerCase();
  return await db
    .selectFrom("users")
    .selectAll()
    .where((where) => (isAddress(text) ? where("email", "=", text) : where.or([where("username", "=", text), where("id", "=", text)])))
    .executeTakeFirst();
}

/**
 * Returns whether the login is an email address. An address can sign in only once it is verified; otherwise a person who signs up would learn whether
 * it has another account.
 */
const isAddress = (login: string): boolean => login.includes("@");

const wrongPassword = (): AppError =>
  new AppError(
    "UNAUTHENTICATED",
    "This address and password do not match an account. Check both, or ask the administrator for a new password.",
  );
