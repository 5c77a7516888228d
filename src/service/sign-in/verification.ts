import type { TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { enqueueMail } from "../../mail/queue.ts";
import { requireUser } from "../accounts/actor.ts";
import { addressOf, getUser } from "../accounts/users.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { createAccountLink, useAccountLink } from "./account-links.ts";
import { findRival, markProved } from "./addresses.ts";
import { countMailRequest } from "./mail-rates.ts";

/** Validity of a link that verifies an address (accounts, "Verification"). */
const VERIFY_MS = DAY_MS;

/**
 * Mails a link that verifies or proves an account's address or, if another account has verified it, a mail that says so. Writes the same rows in both
 * cases. The mail contains no text of the account, because the address may be a stranger's.
 */
export async function sendVerification(
  ctx: TransactionCtx,
  { id, email, language, isVerified }: Pick<UserRow, "id" | "email" | "language"> & { readonly isVerified?: boolean },
): Promise<void> {
  const token = await createAccountLink(ctx, { userId: id, purpose: "verify", mailedTo: email, lifetimeMs: VERIFY_MS });
  const { siteUrl } = ctx.urls;
  const rival = await findRival(ctx, { id, email });
  if (rival) {
    await enqueueMail(ctx, { to: email, language: rival.language, mail: { kind: "addressTaken", link: `${siteUrl}/signin` } });
    return;
  }
  await enqueueMail(ctx, {
    to: email,
    language,
    mail: { kind: "verify", link: `${siteUrl}/verify/${token}`, until: toIso(ctx.now() + VERIFY_MS), ...(isVerified && { isVerified }) },
  });
}

/**
 * `POST /auth/verify`: verifies the address that the link was mailed to. Requires a session of the account too, so that people do not verify an
 * account that a stranger has created with their address.
 */
export const verifyEmail: Operation<"verifyEmail"> = async (ctx, call, { token }) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const { user_id, mailed_to } = await useAccountLink(ctx, token, "verify");
    if (user_id !== userId)
      throw new AppError("FORBIDDEN", "This link is of another account. Sign in to that account, then open it again.");
    await markProved(ctx, userId, mailed_to);
    await recordAudit(ctx, call, { action: "account.email_verified", subject: userId, account: userId });
    return { email: mailed_to ?? "" };
  });
};

/** `POST /auth/verify/resend`: mails the link again. */
export const resendVerification: Operation<"resendVerification"> = async (ctx, call) => {
  const { userId } = requireUser(call.actor);
  const user = await ctx.db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
  if (!ctx.config.mail) throw new AppError("CONFLICT", "This server sends no mail, so no address needs to be verified.");
  if (user.email_proved_at !== null) throw new AppError("CONFLICT", "This address is already verified.");
  await countMailRequest(ctx, { address: call.address, mailedTo: [addressOf(user)] });
  const response = await commitResponse(ctx, call, async (ctx) => {
    const user = await getUser(ctx.db, userId);
    const email = addressOf(user);
    await sendVerification(ctx, { ...user, email, isVerified: user.email_verified === 1 });
    return { email };
  });
  ctx.wakeJobs();
  return response;
};
