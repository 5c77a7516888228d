import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { hashToken } from "../../lib/secrets.ts";
import { addressUses, consumeAll, rateLimited } from "../accounts/rate-limits.ts";
import { checkEmail, insertUser } from "../accounts/users.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { useInvite } from "./invites.ts";
import { savePassword } from "./passwords.ts";
import { startSession } from "./start-session.ts";
import { sendVerification } from "./verification.ts";

/** `POST /auth/sign-up`: creates an account with a password, as the server's setting or the invite allows, and starts a session. */
export const signUp: Operation<"signUp"> = async (ctx, call, { email: address, password, name, invite }) => {
  const email = checkEmail(address);
  checkSignUp(ctx, invite);
  await countSignUp(ctx, call.address);
  const auth = await ctx.auth();
  const passwordHash = await (await auth.$context).password.hash(password);
  const response = await commitResponse(ctx, call, async (ctx) => {
    const used = invite ? await useInvite(ctx, hashToken(invite), email) : undefined;
    const isAdmin = used?.role === "admin";
    // An administrator's invite comes from the server itself, and a mailed one has proved its address.
    const isVerified = ctx.config.mail === undefined || isAdmin || used?.is_mailed === 1;
    const { language } = call;
    const user = await insertUser(ctx, call, { email, name, tier: "free", isAdmin, isVerified, language });
    await savePassword(ctx, user.id, passwordHash);
    if (!isVerified) await sendVerification(ctx, { ...user, language: language ?? null });
    return await startSession(ctx, call, user);
  });
  ctx.wakeJobs();
  return response;
};

function checkSignUp({ config }: Pick<Ctx, "config">, invite: string | null | undefined): void {
  if (config.signUp === "open" || invite) return;
  const advice = config.signUp === "invite" ? "Ask the administrator for an invite." : "Ask the administrator for an account.";
  throw new AppError("FORBIDDEN", `This server does not offer sign-up. ${advice}`);
}

/** An address or /64 may sign up a few times an hour, a /48 four times as often (accounts, "Attempts"). */
export async function countSignUp(ctx: Ctx, address: string): Promise<void> {
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
