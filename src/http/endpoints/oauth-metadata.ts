import type { Ctx, PublicUrls } from "../../context.ts";
import { AUTHORIZE_PATH, DEVICE_CODE_PATH, MCP_PATH, REGISTER_PATH, REVOKE_PATH, TOKEN_PATH } from "../../contract/endpoints.ts";
import { OAUTH_SCOPES } from "../../contract/oauth-scopes.ts";
import { type ProtectedResource, resourceUrls } from "../../service/accounts/access-tokens.ts";
import { DEFAULT_SCOPES } from "../../service/oauth/authorize.ts";
import { GRANT_TYPES } from "../../service/oauth/register-client.ts";
import { countOAuthRequest } from "../callers/count-request.ts";
import { respondJson } from "../responding/respond.ts";
import type { HttpContext, Route } from "../routing/env.ts";

const RESOURCE_DOCUMENT = "/.well-known/oauth-protected-resource";
const SERVER_DOCUMENT = "/.well-known/oauth-authorization-server";

/** Returns the path of a URL; empty for the root. */
const pathOf = (url: string): string => new URL(url).pathname.replace(/\/$/, "");

/** Returns the URL of the document that describes a resource (RFC 9728, 3.1). */
export function resourceDocumentUrl(urls: PublicUrls, resource: ProtectedResource): string {
  const url = resourceUrls(urls)[resource];
  return new URL(RESOURCE_DOCUMENT + pathOf(url), url).href;
}

/**
 * Returns the routes of the documents by which clients discover the authorization server, at each path that some clients try (oauth, "Discovery").
 */
export function metadataRoutes({ urls }: Pick<Ctx, "urls">): Route[] {
  const { api, mcp } = resourceUrls(urls);
  /** The host of the API, if the API is at the root of a separate host. */
  const rootOfApi = pathOf(api) === "" ? new URL(api).host : undefined;
  const ofMcp = (c: HttpContext): Response => respondJson(c, describeResource(urls, "mcp", DEFAULT_SCOPES));
  const ofApi = (c: HttpContext): Response => respondJson(c, describeResource(urls, "api", OAUTH_SCOPES));
  const ofServer = (c: HttpContext): Response => respondJson(c, describeServer(urls));
  const documents = new Map<string, Route["handle"]>([
    [SERVER_DOCUMENT, ofServer],
    [SERVER_DOCUMENT + pathOf(urls.siteUrl), ofServer],
    [SERVER_DOCUMENT + pathOf(mcp), ofServer],
    [RESOURCE_DOCUMENT + pathOf(api), ofApi],
    [RESOURCE_DOCUMENT, (c) => (c.req.header("host") === rootOfApi ? ofApi(c) : ofMcp(c))],
    [RESOURCE_DOCUMENT + pathOf(mcp), ofMcp],
  ]);
  const counted = (handle: Route["handle"]) => (c: HttpContext) => {
    countOAuthRequest(c);
    return handle(c);
  };
  return [...documents].map(([path, handle]) => ({ method: "GET", path, rate: "caller", handle: counted(handle) }));
}

const describeResource = (urls: PublicUrls, resource: ProtectedResource, scopes: readonly string[]) => ({
  resource: resourceUrls(urls)[resource],
  authorization_servers: [urls.siteUrl],
  scopes_supported: scopes,
  bearer_methods_supported: ["header"],
  resource_name: "filehost",
  resource_documentation: resource === "mcp" ? urls.siteUrl + MCP_PATH : `${urls.siteUrl}/docs`,
});

const describeServer = ({ siteUrl }: PublicUrls) => ({
  issuer: siteUrl,
  authorization_endpoint: siteUrl + AUTHORIZE_PATH,
  token_endpoint: siteUrl + TOKEN_PATH,
  registration_endpoint: siteUrl + REGISTER_PATH,
  revocation_endpoint: siteUrl + REVOKE_PATH,
  device_authorization_endpoint: siteUrl + DEVICE_CODE_PATH,
  scopes_supported: OAUTH_SCOPES,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: GRANT_TYPES,
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${siteUrl}/docs`,
});
