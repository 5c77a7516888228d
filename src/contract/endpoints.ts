/** Paths at which programs find the endpoints of OAuth and MCP. Pages and metadata name them. */
export const AUTHORIZE_PATH = "/oauth/authorize";
export const DEVICE_CODE_PATH = "/oauth/device";
export const TOKEN_PATH = "/oauth/token";
export const REGISTER_PATH = "/oauth/register";
export const REVOKE_PATH = "/oauth/revoke";
/** The redirect URI of OpenID Connect. */
export const PROVIDER_CALLBACK_PATH = "/signin/oidc/callback";
/** The path of MCP, which shows a page to browsers. */
export const MCP_PATH = "/mcp";
export const MCP_GUEST_PATH = "/mcp/guest";
