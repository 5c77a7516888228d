import type { RequestContext, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { enqueueMail } from "../../mail/queue.ts";
import { requireUser } from "../accounts/actor.ts";
import { requireProof } from "../accounts/proof-of-identity.ts";
import { addressOf, checkEmail, getUser } from "../accounts/users.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import type { Output } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { createAccountLink, endEmailChange, endMailedLinks, useAccountLink } from "./account-links.ts";
import { type AddressToSet, findRival, setAddress } from "./addresses.ts";
import { countMailRequest } from "./mail-rates.ts";
import { mailSecurityNotice } from "./security-notice.ts";
import { requireSession } from "./sessions.ts";

/** Validity of a link that changes an address (sign in, "Changing the email address"). */
const CHANGE_MS = DAY_MS;

/** `GET /auth/email`. */
export const getEmail: Operation<"getEmail"> = (ctx, { actor }) => viewEmail(ctx, requireUser(actor).userId);

/** `POST /auth/email`: mails a link to the new address, or changes the address if the server sends no mail. */
export const changeEmail: Operation<"changeEmail"> = async (ctx, call, { newEmail }) => {
  requireProof(ctx, call);
  const { userId } = requireUser(call.actor);
  const email = checkEmail(newEmail);
  const current = addressOf(await getUser(ctx.db, userId));
  if (current === email) throw new AppError("CONFLICT", "This is the address of your account already. Choose another one.");
  if (ctx.config.mail) await countMailRequest(ctx, { address: call.address, mailedTo: [email, current] });
  const response = await commitResponse(ctx, call, async (ctx) => {
    const user = await getUser(ctx.db, userId);
    if (ctx.config.mail) await askForConfirmation(ctx, call, { user, email });
    else await change(ctx, call, { user, email, isProved: false });
    return await viewEmail(ctx, userId);
  });
  ctx.wakeJobs();
  return response;
};

interface Change {
  readonly user: UserRow;
  readonly email: string;
}

/** Asks for confirmation by mail. Writes the same rows for an address that has an account, so that neither the response nor its time reveals that. */
async function askForConfirmation(ctx: TransactionCtx, call: RequestContext, { user, email }: Change): Promise<void> {
  const token = await createAccountLink(ctx, { userId: user.id, purpose: "email", mailedTo: email, lifetimeMs: CHANGE_MS });
  const { siteUrl } = ctx.urls;
  const rival = await findRival(ctx, { id: user.id, email });
  const [language, mail] = rival
    ? [rival.language, { kind: "addressTaken", link: `${siteUrl}/signin` } as const]
    : [user.language, { kind: "email", link: `${siteUrl}/settings/email/${token}`, until: toIso(ctx.now() + CHANGE_MS) } as const];
  await enqueueMail(ctx, { to: email, language, mail });
  await mailSecurityNotice(ctx, user.id, "addressAsked");
  await recordAudit(ctx, call, { action: "account.email_change_requested", subject: user.id, account: user.id });
}

/** `POST /auth/email/confirm`: gives the account the address that the link was mailed to. */
export const confirmEmail: Operation<"confirmEmail"> = async (ctx, call, { token }) => {
  const actor = requireUser(call.actor);
  requireSession(actor);
  const response = await commitResponse(ctx, call, async (ctx) => {
    const { user_id, mailed_to } = await useAccountLink(ctx, token, "email");
    if (user_id !== actor.userId || mailed_to === null)
      throw new AppError("FORBIDDEN", "This link is of another account. Sign in to that account, then open it again.");
    await change(ctx, call, { user: await getUser(ctx.db, user_id), email: mailed_to, isProved: true });
    return await viewEmail(ctx, user_id);
  });
  ctx.wakeJobs();
  return response;
};

/** `DELETE /auth/email`. */
export const cancelEmailChange: Operation<"cancelEmailChange"> = async (ctx, call) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    if (!(await endEmailChange(ctx.db, userId))) throw new AppError("CONFLICT", "No change of the address is pending.");
    await recordAudit(ctx, call, { action: "account.email_change_cancelled", subject: userId, account: userId });
    return await viewEmail(ctx, userId);
  });
};

/** Changes the address. Throws CONFLICT if another account has it. */
async function change(ctx: TransactionCtx, call: RequestContext, { user, ...address }: { readonly user: UserRow } & AddressToSet) {
  await setAddress(ctx, user, address);
  await endMailedLinks(ctx.db, user.id);
  await recordAudit(ctx, call, { action: "account.email_changed", subject: user.id, account: user.id });
  if (user.email_verified === 0) return;
  const mail = { kind: "addressChanged", at: toIso(ctx.now()), link: ctx.urls.siteUrl } as const;
  await enqueueMail(ctx, { to: user.email, language: user.language, mail });
}

async function viewEmail({ db, now }: { readonly db: Db; readonly now: () => number }, userId: string): Promise<Output<"getEmail">> {
  const user = await getUser(db, userId);
  const link = await db
    .selectFrom("account_links")
    .select(["mailed_to", "expires_at"])
    .where("user_id", "=", userId)
    .where("purpose", "=", "email")
    .where("expires_at", ">", now())
    .executeTakeFirst();
  const email = addressOf(user);
  const isProved = user.email_proved_at !== null;
  return { email, isProved, pending: link ? { email: link.mailed_to ?? "", expiresAt: toIso(link.expires_at) } : null };
}
