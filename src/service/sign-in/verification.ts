import type { TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { DAY_MS } from "../../lib/duration.ts";
import { toIso } from "../../lib/iso-time.ts";
import { enqueueMail } from "../../mail/queue.ts";
import { requireUser } from "../accounts/actor.ts";
import { markVerified } from "../accounts/users.ts";
import { asAccount, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { createAccountLink, useAccountLink } from "./account-links.ts";
import { countMailRequest } from "./mail-rates.ts";

/** How long a link verifies an address (accounts, "Verification"). */
const VERIFY_MS = DAY_MS;

/** Mails a link that verifies the address of a new account. The mail has no text of the account: its address may be a stranger's. */
export async function sendVerification(
  ctx: TransactionCtx,
  { id, email, language }: Pick<UserRow, "id" | "email" | "language">,
): Promise<void> {
  const token = await createAccountLink(ctx, { userId: id, purpose: "verify", mailedTo: email, lifetimeMs: VERIFY_MS });
  const link = `${ctx.urls.siteUrl}/verify/${token}`;
  await enqueueMail(ctx, { to: email, language, mail: { kind: "verify", link, until: toIso(ctx.now() + VERIFY_MS) } });
}

/** `POST /auth/verify`: verifies the address that the link was mailed to. */
export const verifyEmail: Operation<"verifyEmail"> = async (ctx, call, { token }) =>
  await commitResponse(ctx, call, async (ctx) => {
    const { user_id, mailed_to } = await useAccountLink(ctx, token, "verify");
    await markVerified(ctx, user_id, mailed_to);
    await recordAudit(ctx, asAccount(user_id, call), { action: "account.email_verified", subject: user_id, account: user_id });
    return { email: mailed_to ?? "" };
  });

/** `POST /auth/verify/resend`: mails the link again. */
export const resendVerification: Operation<"resendVerification"> = async (ctx, call) => {
  const { userId } = requireUser(call.actor);
  const user = await ctx.db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
  if (!ctx.config.mail) throw new AppError("CONFLICT", "This server sends no mail, so no address needs to be verified.");
  if (user.email_verified === 1) throw new AppError("CONFLICT", "This address is verified already.");
  await countMailRequest(ctx, { address: call.address, account: user.email });
  const response = await commitResponse(ctx, call, async (ctx) => {
    await sendVerification(ctx, user);
    return { email: user.email };
  });
  ctx.wakeJobs();
  return response;
};
