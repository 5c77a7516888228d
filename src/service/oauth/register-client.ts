import { z } from "zod";
import type { Ctx, RequestContext } from "../../context.ts";
import { redirectProblem } from "../../lib/http/redirect-uri.ts";
import { newSecret, newUuid } from "../../lib/secrets/ids.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { consumeAddressRate } from "../accounts/rate-limits.ts";
import { OAuthError, type OAuthResponse } from "./oauth-error.ts";
import { trimUnusedClients } from "./unused-clients.ts";

const CODE_GRANT = "authorization_code";
const REFRESH_GRANT = "refresh_token";

/** The grants that clients may register for. */
export const GRANT_TYPES = [CODE_GRANT, REFRESH_GRANT, "urn:ietf:params:oauth:grant-type:device_code"] as const;

const MAX_REDIRECT_URIS = 10;
const MAX_URI_CHARACTERS = 2000;
/** Maximum number of characters of the redirect URIs in JSON. */
const MAX_URIS_CHARACTERS = 4096;
const MAX_NAME_CHARACTERS = 60;

/** The members of a registration that the server uses. It ignores the others, as RFC 7591 allows. */
const metadata = z.object({
  redirect_uris: z.array(z.string().max(MAX_URI_CHARACTERS)).max(MAX_REDIRECT_URIS).default([]),
  client_name: z.string().max(1000).optional(),
  grant_types: z.array(z.string().max(100)).max(20).default([CODE_GRANT]),
});

/**
 * Registers a new application (RFC 7591). It gets no secret, because anybody could read the secret from the application. Throws OAuthError, and
 * RATE_LIMITED.
 */
export async function registerClient(ctx: Ctx, { address }: Pick<RequestContext, "address">, body: unknown): Promise<OAuthResponse> {
  const parsed = metadata.safeParse(body);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join(".") ?? "";
    const code = field.startsWith("redirect_uris") ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new OAuthError(code, `Send JSON with valid metadata of a client: ${field === "" ? "an object" : field} is not valid.`);
  }
  const { redirect_uris: redirectUris, client_name, grant_types } = parsed.data;
  const grants = GRANT_TYPES.filter((grant) => grant === REFRESH_GRANT || grant_types.includes(grant));
  if (grants.length === 1) throw new OAuthError("invalid_client_metadata", `Register for one of the grants ${GRANT_TYPES.join(", ")}.`);
  if (grants.includes(CODE_GRANT) && redirectUris.length === 0)
    throw new OAuthError("invalid_redirect_uri", "Send at least one address in redirect_uris.");
  if (JSON.stringify(redirectUris).length > MAX_URIS_CHARACTERS)
    throw new OAuthError("invalid_redirect_uri", `Send redirect_uris of ${MAX_URIS_CHARACTERS} characters at most in all.`);
  for (const uri of redirectUris) {
    const problem = redirectProblem(uri, ownHosts(ctx));
    if (problem !== undefined) throw new OAuthError("invalid_redirect_uri", `An address in redirect_uris ${problem}.`);
  }
  const nowMs = ctx.now();
  const clientId = newSecret(ctx.random, "client_");
  const name = toName(client_name ?? "");
  await ctx.transaction(async (ctx) => {
    await consumeAddressRate(ctx, { name: "clientRegistrations", address });
    await ctx.db
      .insertInto("oauth_clients")
      .values({
        id: newUuid(ctx.random, nowMs),
        client_id: clientId,
        name,
        redirect_uris: JSON.stringify(redirectUris),
        grant_types: JSON.stringify(grants),
        token_endpoint_auth_method: "none",
        created_at: nowMs,
        used_at: nowMs,
      })
      .execute();
    await trimUnusedClients(ctx.db);
  });
  return {
    status: 201,
    body: {
      client_id: clientId,
      client_id_issued_at: Math.floor(nowMs / 1000),
      ...(name !== "" && { client_name: name }),
      redirect_uris: redirectUris,
      grant_types: grants,
      response_types: grants.includes(CODE_GRANT) ? ["code"] : [],
      token_endpoint_auth_method: "none",
    },
  };
}

/** Returns the visible characters of a name; empty if none remain. */
function toName(sent: string): string {
  const visible = toSingleLine(sent)
    .replace(/\p{Cf}|[\u115f\u1160\u2800\u3164\uffa0]/gu, "")
    .replace(/(\p{M}{2})\p{M}+/gu, "$1");
  const name = [...visible].slice(0, MAX_NAME_CHARACTERS).join("").trim();
  return /[\p{L}\p{N}]/u.test(name) ? name : "";
}

/** Returns the hosts of the service itself. A redirect to them would hide the browser's next destination. */
const ownHosts = ({ urls: { siteUrl, apiUrl, mcpUrl, contentUrl } }: Pick<Ctx, "urls">): ReadonlySet<string> =>
  new Set([siteUrl, apiUrl, mcpUrl, contentUrl].map((url) => new URL(url).host));
