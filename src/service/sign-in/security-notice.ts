import type { TransactionCtx } from "../../context.ts";
import type { SecurityChange } from "../../contract/mail.ts";
import { enqueueMail } from "../../mail/queue.ts";

/**
 * Tells the owner of an account by mail what changed about how it signs in, in the transaction of the change (accounts, "Notices of changes").
 * Call `ctx.wakeJobs()` afterwards.
 */
export async function mailSecurityNotice(ctx: TransactionCtx, userId: string, change: SecurityChange): Promise<void> {
  const { email, language, role } = await ctx.db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
  if (role === "agent") return;
  const mail = { kind: "security", change, at: new Date(ctx.now()).toISOString(), link: `${ctx.urls.siteUrl}/settings/security` } as const;
  await enqueueMail(ctx, { to: email, language, mail });
}
