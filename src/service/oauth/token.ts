import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { findAccessToken, type ProtectedResource, resourceUrls } from "../accounts/access-tokens.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { toResource } from "./authorize.ts";
import type { ApplicationConnection } from "./codes.ts";
import { endConnection, trimRotatedTokens } from "./end-connections.ts";
import { endReplayed, findUsed } from "./end-replayed.ts";
import { OAuthError, type OAuthResponse } from "./oauth-error.ts";
import { REFRESH_SCOPE } from "./provider.ts";

/** The parameters of a request for tokens. The library gets no others. */
const PARAMETERS = [
  "grant_type",
  "client_id",
  "code",
  "code_verifier",
  "redirect_uri",
  "refresh_token",
  "scope",
  "resource",
  "device_code",
] as const;

/**
 * Issues tokens for a code or a refresh token (RFC 6749, 4.1.3 and 6). Uses one transaction, so that a replayed code or token ends all tokens from it
 * even if another server instance issues tokens at the same time. Throws OAuthError.
 */
export async function issueTokens(ctx: Ctx, form: URLSearchParams): Promise<OAuthResponse> {
  const body = toBody(form);
  await checkClient(ctx, body.get("client_id") ?? "");
  const oauth = await ctx.oauth();
  try {
    let isReplay = false;
    const answer = await ctx.transaction(async (ctx) => {
      const used = await findUsed(ctx, body);
      const response = await oauth.handle(ctx.db, { path: "/oauth2/token", body });
      const answer = toAnswer(response.status, await response.json());
      // Checks the new token with the rule of requests, so that no token is issued that would be refused, such as for a disabled account.
      if (answer.status === 200 && !(await isAccepted(ctx, String(answer.body.access_token)))) throw new NotIssued();
      if (answer.status === 200 && used !== undefined) await trimRotatedTokens(ctx.db, used);
      isReplay = answer.status !== 200 && used !== undefined && (await endReplayed(ctx, used));
      return answer;
    });
    if (isReplay) ctx.wakeJobs();
    return answer;
  } catch (error) {
    if (error instanceof NotIssued) throw new OAuthError("invalid_grant", "The account no longer allows it. Ask for its consent again.");
    throw error;
  }
}

/** Throws for a removed client, which then registers again. The library's error about an unknown token would make it retry forever. */
async function checkClient({ db }: Ctx, clientId: string): Promise<void> {
  const client = await db.selectFrom("oauth_clients").select("id").where("client_id", "=", clientId).executeTakeFirst();
  if (!client) throw new OAuthError("invalid_client", "This application is not registered any more. Register it again.");
}

/** The error that rolls back a transaction whose token would be refused. */
class NotIssued extends Error {}

async function isAccepted(ctx: TransactionCtx, token: string): Promise<boolean> {
  for (const resource of Object.keys(resourceUrls(ctx.urls)) as ProtectedResource[])
    if ((await findAccessToken(ctx, token, resource)) !== undefined) return true;
  return false;
}

function toBody(form: URLSearchParams): URLSearchParams {
  const body = new URLSearchParams();
  for (const name of PARAMETERS) {
    const values = form.getAll(name).filter((value) => value !== "");
    if (values.length > 1) throw new OAuthError(name === "resource" ? "invalid_target" : "invalid_request", `Send ${name} once.`);
    const [value] = values;
    if (value !== undefined) body.set(name, name === "resource" ? toResource(value) : value);
  }
  const scope = body.get("scope");
  // Adds the scope of refresh tokens; otherwise the next token could not be refreshed.
  if (scope !== null && body.get("grant_type") === "refresh_token") body.set("scope", `${scope} ${REFRESH_SCOPE}`);
  return body;
}

/** Converts the library's response. A wrong code verifier becomes an invalid grant (RFC 7636, 4.6). */
function toAnswer(status: number, body: Record<string, unknown>): OAuthResponse {
  if (status === 401 && body.error === "invalid_request") return { status: 400, body: { ...body, error: "invalid_grant" } };
  return { status, body };
}

/**
 * Revokes a token of a client (RFC 7009): only an access token, or the whole connection of a refresh token. Does nothing for an unknown token. Throws
 * OAuthError.
 */
export async function revokeToken(ctx: Ctx, { address }: Pick<RequestContext, "address">, form: URLSearchParams): Promise<OAuthResponse> {
  const [token, clientId] = [form.get("token"), form.get("client_id")];
  if (!token || !clientId) throw new OAuthError("invalid_request", "Send token and client_id.");
  await ctx.transaction(async (ctx) => {
    const { db } = ctx;
    const hash = hashToken(token);
    const refresh = await db
      .selectFrom("oauth_refresh_tokens")
      .select("user_id")
      .where("token", "=", hash)
      .where("client_id", "=", clientId)
      .executeTakeFirst();
    if (refresh) await disconnectItself(ctx, { address }, { clientId, userId: refresh.user_id });
    else await db.deleteFrom("oauth_access_tokens").where("token", "=", hash).where("client_id", "=", clientId).execute();
  });
  return { status: 200, body: {} };
}

async function disconnectItself(
  ctx: TransactionCtx,
  { address }: Pick<RequestContext, "address">,
  connection: ApplicationConnection,
): Promise<void> {
  const { userId } = connection;
  const ended = await endConnection(ctx.db, connection);
  if (!ended) return;
  const { id, name, host } = ended;
  const actor = { kind: "user", userId, keyId: null, consentId: id } as const;
  await recordAudit(ctx, { actor, address }, { action: "application.disconnected", subject: id, account: userId, details: { name, host } });
}
