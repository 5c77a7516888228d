import type { Ctx, TransactionCtx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { newUuid } from "../../lib/ids.ts";
import { addressUses, consumeAll, rateLimited } from "../accounts/rate-limits.ts";
import { checkEmail, insertUser } from "../accounts/users.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { useInvite } from "./invites.ts";
import { startSession } from "./start-session.ts";

/** `POST /auth/sign-up`: creates an account with a password, as the server's setting or the invite allows, and starts a session. */
export const signUp: Operation<"signUp"> = async (ctx, call, { email: address, password, name, invite }) => {
  const email = checkEmail(address);
  checkSignUp(ctx, invite);
  await countSignUp(ctx, call.address);
  const auth = await ctx.auth();
  const passwordHash = await (await auth.$context).password.hash(password);
  return await commitResponse(ctx, call, async (ctx) => {
    const role = invite ? (await useInvite(ctx, invite, email)).role : "user";
    const user = await insertUser(ctx, { email, name, tier: "free", isAdmin: role === "admin" });
    await insertPassword(ctx, user.id, passwordHash);
    return await startSession(ctx, call, user);
  });
};

function checkSignUp({ config }: Pick<Ctx, "config">, invite: string | null | undefined): void {
  if (config.signUp === "open" || invite) return;
  const advice = config.signUp === "invite" ? "Ask the administrator for an invite." : "Ask the administrator for an account.";
  throw new AppError("FORBIDDEN", `This server does not offer sign-up. ${advice}`);
}

/** An address or /64 may sign up a few times an hour, a /48 four times as often (accounts, "Attempts"). */
async function countSignUp(ctx: Ctx, address: string): Promise<void> {
  const uses = addressUses(ctx, { name: "signUps", address, subnet48Factor: 4 });
  const exceeded = await ctx.transaction(async (ctx) => await consumeAll(ctx.db, uses));
  if (!exceeded) return;
  throw rateLimited({
    nowMs: ctx.now(),
    resetsAtMs: exceeded.resetsAtMs,
    message: ({ retryAfterSeconds }) => `Too many accounts were created from your IP address. Try again in ${retryAfterSeconds} seconds.`,
    fields: (wait) => ({ ...wait }),
  });
}

async function insertPassword({ db, now, random }: TransactionCtx, userId: string, password: string): Promise<void> {
  const nowMs = now();
  const method = { id: newUuid(random, nowMs), user_id: userId, account_id: userId, provider_id: "credential", password };
  await db
    .insertInto("sign_in_methods")
    .values({ ...method, created_at: nowMs, updated_at: nowMs })
    .execute();
}
