import type { AppError } from "../../errors.ts";
import { toOAuthScope } from "../../service/accounts/access-tokens.ts";
import { InsufficientScope } from "../../service/accounts/authenticate.ts";
import { DEFAULT_SCOPES, includedScopes } from "../../service/oauth/authorize.ts";
import type { HttpContext } from "../routing/env.ts";
import { resourceDocumentUrl } from "./oauth-metadata.ts";

/** Returns whether the request is for MCP, whose clients ask for consent when they read the header. */
const isMcp = (c: HttpContext): boolean => c.env.route?.path === "/mcp";

/**
 * Returns the header that tells a client how to get a token, or a token with a larger scope (RFC 9728, 5.1; RFC 6750, 3). Only MCP clients, and
 * clients that sent an access token, get it.
 */
export function oauthChallenge(c: HttpContext, error: AppError): Record<string, string> {
  const { hasAccessToken = false } = c.env;
  if (error instanceof InsufficientScope && hasAccessToken)
    return challenge(c, [`error="insufficient_scope"`, `scope="${includedScopes([toOAuthScope(error.needed)]).join(" ")}"`]);
  if (error.code !== "UNAUTHENTICATED" || !(isMcp(c) || hasAccessToken)) return {};
  return challenge(c, [...(hasAccessToken ? [`error="invalid_token"`] : []), ...(isMcp(c) ? [`scope="${DEFAULT_SCOPES.join(" ")}"`] : [])]);
}

function challenge(c: HttpContext, parameters: readonly string[]): Record<string, string> {
  const document = resourceDocumentUrl(c.env.ctx.urls, isMcp(c) ? "mcp" : "api");
  return { "WWW-Authenticate": `Bearer ${[...parameters, `resource_metadata="${document}"`].join(", ")}` };
}
