import type { Ctx, PublicUrls } from "../../context.ts";
import { OAUTH_SCOPES, type OAuthScope } from "../../contract/oauth-scopes.ts";
import { cacheUntilCommit } from "../../db/commit-cache.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import type { Scope, UserActor } from "./actor.ts";
import { toUserActor } from "./user-actor.ts";

/** Prefix of the access tokens of applications, which distinguishes them from API keys and session tokens. */
export const ACCESS_TOKEN_PREFIX = "oauth_";

const SCOPE_OF: Readonly<Record<OAuthScope, Scope>> = { "files.read": "files_read", "files.write": "files_write", account: "full" };

/** Returns the scope of a token that may do what a key with `scope` may. */
export const toOAuthScope = (scope: Scope): OAuthScope => OAUTH_SCOPES.find((one) => SCOPE_OF[one] === scope) ?? "account";

/** Returns the widest of a token's scopes; undefined if the server knows none of them. */
export const largestScope = (scopes: readonly string[]): OAuthScope | undefined => OAUTH_SCOPES.findLast((one) => scopes.includes(one));

/** A part of the service that tokens are issued for. Each token is for one of them. */
export type ProtectedResource = "api" | "mcp";

/** Returns the identifiers of the parts, which clients send and tokens keep. */
export const resourceUrls = ({ apiUrl, mcpUrl }: PublicUrls): Readonly<Record<ProtectedResource, string>> => ({
  api: apiUrl,
  mcp: `${mcpUrl}/mcp`,
});

/** Returns the account that an application acts for; undefined if the token has ended, is for another part, or the account is disabled. */
export async function findAccessToken(
  ctx: Pick<Ctx, "db" | "config" | "urls" | "now">,
  token: string,
  resource: ProtectedResource,
): Promise<UserActor | undefined> {
  const row = await findToken(ctx.db, token);
  if (!row || row.expires_at <= ctx.now() || row.disabled_at !== null) return undefined;
  const scope = largestScope(JSON.parse(row.scopes));
  const resources: unknown = JSON.parse(row.resources ?? "[]");
  if (scope === undefined || !Array.isArray(resources) || resources.length !== 1) return undefined;
  if (resources[0] !== resourceUrls(ctx.urls)[resource]) return undefined;
  await recordUse(ctx, row);
  return toUserActor(ctx, { ...row, id: row.user_id }, { scope: SCOPE_OF[scope], accessTokenId: row.id, consentId: row.consent_id });
}

const findToken = cacheUntilCommit((db, token) => tokenQuery.first(db, { hash: hashToken(token) }));

/** Joins the consent, because a token is valid only while the account's consent exists. */
const tokenQuery = preparedQuery((db, { hash }: { hash: string }) =>
  db
    .selectFrom("oauth_access_tokens")
    .innerJoin("users", "users.id", "oauth_access_tokens.user_id")
    .innerJoin("oauth_consents", (join) =>
      join
        .onRef("oauth_consents.user_id", "=", "oauth_access_tokens.user_id")
        .onRef("oauth_consents.client_id", "=", "oauth_access_tokens.client_id"),
    )
    .select(["oauth_access_tokens.id", "oauth_access_tokens.user_id", "oauth_access_tokens.scopes", "oauth_access_tokens.resources"])
    .select(["oauth_access_tokens.expires_at", "oauth_consents.id as consent_id", "oauth_consents.used_at"])
    .select(["users.username", "users.tier", "users.pro_until", "users.disabled_at", "users.role"])
    .select(["users.agent_group", "users.email_verified"])
    .where("oauth_access_tokens.token", "=", hash),
);

/** Records the use at most once an hour per application, so that most requests write nothing. */
async function recordUse(
  { db, now }: Pick<Ctx, "db" | "now">,
  { consent_id, used_at }: { readonly consent_id: string; readonly used_at: number | null },
): Promise<void> {
  const nowMs = now();
  if (used_at !== null && nowMs - used_at < HOUR_MS) return;
  await db.updateTable("oauth_consents").set({ used_at: nowMs }).where("id", "=", consent_id).execute();
}
