import type { RequestContext, TransactionCtx } from "../../context.ts";
import { redirectHost } from "../../lib/http/redirect-uri.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { mailSecurityNotice } from "../sign-in/security-notice.ts";

export interface Connected {
  readonly consentId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** The redirect URI; null if the code was entered on another device. */
  readonly redirectUri: string | null;
  /** Whether this is the first consent of the account to the application. */
  readonly isNew: boolean;
}

/** Records an account's consent, also on the application, and mails the account about a new connection. Call `ctx.wakeJobs()` afterwards. */
export async function recordConnected(ctx: TransactionCtx, call: RequestContext, connected: Connected): Promise<void> {
  const { consentId, clientId, userId, scopes, redirectUri, isNew } = connected;
  const { name } = await ctx.db
    .updateTable("oauth_clients")
    .set({ used_at: ctx.now() })
    .where("client_id", "=", clientId)
    .returning("name")
    .executeTakeFirstOrThrow();
  const host = redirectHost(redirectUri);
  const details = { name, host, scopes: scopes.join(" ") };
  await recordAudit(ctx, call, { action: "application.connected", subject: consentId, account: userId, details });
  if (isNew) await mailSecurityNotice(ctx, userId, "applicationConnected", { name, host });
}
