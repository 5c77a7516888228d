import type { TransactionCtx } from "../../context.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { mailSecurityNotice } from "../sign-in/security-notice.ts";
import type { ApplicationConnection } from "./codes.ts";
import { endConnection } from "./end-connections.ts";

/** A used code or refresh token. */
interface Used extends ApplicationConnection {
  readonly kind: "code" | "refresh_token";
  readonly hash: string;
}

const tokensOf = ({ db }: Pick<TransactionCtx, "db">, { kind, hash }: Pick<Used, "kind" | "hash">) =>
  db
    .selectFrom("oauth_refresh_tokens")
    .select(["client_id", "user_id"])
    .where(kind === "code" ? "authorization_code_id" : "token", "=", hash);

/** Finds the used code or refresh token that a request for tokens sends; undefined for an unused or unknown one. */
export async function findUsed(ctx: Pick<TransactionCtx, "db">, body: URLSearchParams): Promise<Used | undefined> {
  const kind = body.get("grant_type") === "refresh_token" ? "refresh_token" : "code";
  const hash = hashToken(body.get(kind) ?? "");
  const row = await tokensOf(ctx, { kind, hash }).executeTakeFirst();
  return row && { kind, hash, clientId: row.client_id, userId: row.user_id };
}

/**
 * Ends the whole connection and notifies the account if the library has ended the tokens of `used` because it was replayed: somebody may have a copy.
 * Resolves to whether it did; then call `ctx.wakeJobs()`.
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
