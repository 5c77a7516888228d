import type { Ctx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import type { Operation } from "../operation.ts";
import { countAttempt, forgetAttempts } from "./attempts.ts";
import { startSession } from "./start-session.ts";

/** An address that no account has: comparing its password takes as long as for a real one. */
const NOBODY = "nobody@invalid.example";

/** `POST /auth/sign-in`: starts a session. Unknown, disabled and wrong look the same, also in time. */
export const signIn: Operation<"signIn"> = async (ctx, call, { login, password }) => {
  const user = await findByLogin(ctx, login);
  const attempt = { account: user?.id ?? login, address: call.address };
  await countAttempt(ctx, attempt);
  const started = await startSession(ctx, call, { email: user && user.disabled_at === null ? user.email : NOBODY, password });
  await forgetAttempts(ctx, attempt);
  return started;
};

async function findByLogin({ db }: Ctx, login: string): Promise<UserRow | undefined> {
  const text = login.trim().toLowerCase();
  return await db
    .selectFrom("users")
    .selectAll()
    .where((where) => where.or([where("email", "=", text), where("username", "=", text)]))
    .executeTakeFirst();
}
