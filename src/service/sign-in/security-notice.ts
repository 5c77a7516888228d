import type { TransactionCtx } from "../../context.ts";
import type { MailedApplication, SecurityChange } from "../../contract/mail.ts";
import { enqueueMail } from "../../mail/queue.ts";
import { issuerName, issuerOf, listSignInMethods } from "./oidc/identities.ts";
import { listPasskeyRows } from "./passkeys/queries.ts";

/**
 * Mails the owner of an account about a change of its sign-in methods or its `application`, in the transaction of the change (accounts, "Notices of
 * changes"). Call `ctx.wakeJobs()` afterwards.
 */
export async function mailSecurityNotice(
  ctx: TransactionCtx,
  userId: string,
  change: SecurityChange,
  application?: MailedApplication,
): Promise<void> {
  const { email, email_verified, language, role } = await ctx.db
    .selectFrom("users")
    .selectAll()
    .where("id", "=", userId)
    .executeTakeFirstOrThrow();
  // Mails no unverified address, because it may be a stranger's.
  if (role === "agent" || email_verified === 0) return;
  const at = new Date(ctx.now()).toISOString();
  // Lists passkeys and providers, because a new password does not end them.
  const passkeys = change === "password" ? (await listPasskeyRows(ctx.db, userId)).map(({ name }) => name) : [];
  const methods = change === "password" ? await listSignInMethods(ctx.db, userId) : [];
  const issuers = methods.map(({ provider_id }) => issuerOf(provider_id)).filter((issuer) => issuer !== undefined);
  const providers = [...new Set(issuers.map((issuer) => issuerName(ctx, issuer)))];
  const mail = { kind: "security", change, at, link: `${ctx.urls.siteUrl}/settings/security`, passkeys, providers, application } as const;
  await enqueueMail(ctx, { to: email, language, mail });
}
