import type { TransactionCtx } from "../../context.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { mailSecurityNotice } from "../sign-in/security-notice.ts";
import type { ApplicationConnection } from "./codes.ts";
import { endConnection } from "./end-connections.ts";

/** A code or refresh token that tokens were issued for. */
interface Used extends ApplicationConnection {
  readonly kind: "code" | "refresh_token";
  readonly hash: string;
}

const tokensOf = ({ db }: Pick<TransactionCtx, "db">, { kind, hash }: Pick<Used, "kind" | "hash">) =>
  db
    .selectFrom("oauth_refresh_tokens")
    .select(["client_id", "user_id"])
    .where(kind === "code" ? "authorization_code_id" : "token", "=", hash);

/** What a request for tokens sends: a refresh token, or a code that has been used. Undefined: another code, or nothing known. */
export async function findUsed(ctx: Pick<TransactionCtx, "db">, body: URLSearchParams): Promise<Used | undefined> {
  const kind = body.get("grant_type") === "refresh_token" ? "refresh_token" : "code";
  const hash = hashToken(body.get(kind) ?? "");
  const row = await tokensOf(ctx, { kind, hash }).executeTakeFirst();
  return row && { kind, hash, clientId: row.client_id, userId: row.user_id };
}

/**
 * Ends the whole connection if the library has ended the tokens of `used`, because it was sent again, and tells the account: somebody may have a
 * copy. Resolves to whether it did; then call `ctx.wakeJobs()` afterwards.
 */
export async function endReplayed(ctx: TransactionCtx, used: Used): Promise<boolean> {
  if ((await tokensOf(ctx, used).executeTakeFirst()) !== undefined) return false;
  const ended = await endConnection(ctx.db, used);
  if (!ended) return false;
  const { id, name, host } = ended;
  const details = { name, host, reused: used.kind };
  await recordAudit(ctx, "system", { action: "application.disconnected", subject: id, account: used.userId, details });
  await mailSecurityNotice(ctx, used.userId, "applicationReplayed", { name, host });
  return true;
}
