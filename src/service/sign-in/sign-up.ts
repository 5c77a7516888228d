import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { addressUses, consumeAll, rateLimited } from "../accounts/rate-limits.ts";
import { checkEmail } from "../accounts/users.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { insertAccount, signUpTrust } from "./addresses.ts";
import { isMailedInvite, provesAddress, useInvite } from "./invites.ts";
import { hashPassword } from "./password-hash.ts";
import { savePassword } from "./passwords.ts";
import { startSession } from "./start-session.ts";
import { sendVerification } from "./verification.ts";

/** `POST /auth/sign-up`: creates an account with a password, if the server's setting or the invite permits it, and starts a session. */
export const signUp: Operation<"signUp"> = async (ctx, call, { email: address, password, name, invite }) => {
  const email = checkEmail(address);
  checkSignUp(ctx, invite);
  const isProved = invite != null && (await isMailedInvite(ctx, hashToken(invite), email));
  await countSignUp(ctx, { address: call.address, email, isProved });
  const passwordHash = await hashPassword(password);
  const response = await commitResponse(ctx, call, async (ctx) => {
    const used = invite ? await useInvite(ctx, hashToken(invite), email) : undefined;
    const isAdmin = used?.role === "admin";
    const trust = signUpTrust(ctx, { isProved: used !== undefined && provesAddress(used), isAdmin });
    const { language } = call;
    const user = await insertAccount(ctx, call, { email, name, tier: "free", isAdmin, trust, language, showName: true });
    await savePassword(ctx, user.id, passwordHash);
    if (trust === "entered") await sendVerification(ctx, { ...user, language: language ?? null });
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

export interface CountedSignUp {
  readonly address: string;
  readonly email: string;
  /** Whether the person has proved the email address. Proved addresses are not limited, because others could otherwise lock the person out. */
  readonly isProved: boolean;
}

/**
 * Counts a sign-up for its IP address or /64, its /48 and, if it is not proved, its email address, whose owner gets a mail (accounts, "Attempts").
 */
export async function countSignUp(ctx: Ctx, { address, email, isProved }: CountedSignUp): Promise<void> {
  const nowMs = ctx.now();
  const { signUpsPerEmail: rate } = ctx.config.rates;
  const uses = [
    ...addressUses(ctx, { name: "signUps", address, subnet48Factor: 4 }),
    ...(isProved ? [] : [{ name: "signUpsPerEmail" as const, subject: ctx.keyring.pseudonym(email), rate, nowMs }]),
  ];
  const exceeded = await ctx.transaction(async (ctx) => await consumeAll(ctx.db, uses));
  if (!exceeded) return;
  throw rateLimited({
    nowMs,
    resetsAtMs: exceeded.resetsAtMs,
    message: ({ retryAfterSeconds }) =>
      `Too many accounts were created from your IP address or for this email address. Try again in ${retryAfterSeconds} seconds.`,
    fields: (wait) => ({ ...wait }),
  });
}
