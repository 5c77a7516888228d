import { type CheckResult, ok, warn } from "./check-result.ts";
import { explainError } from "./error-messages.ts";

const WHAT = "MCP";
const RESPONSE_TIMEOUT_MS = 5_000;

/** Checks whether MCP clients reach the endpoint, which refuses foreign host names (mcp, "Pages of other sites"). */
export async function checkMcpEndpoint(mcpUrl: string): Promise<CheckResult> {
  const address = `${mcpUrl}/mcp`;
  try {
    const response = await fetch(address, { method: "POST", signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS), redirect: "manual" });
    const text = await response.text();
    if (response.status === 401) return ok(WHAT, `${address} asks clients to sign in`);
    if (text.includes('"CROSS_SITE_REQUEST"'))
      return warn(
        WHAT,
        "mcpHost",
        `${address} refuses clients, because the proxy changes the request's host name`,
        "Configure the proxy to pass the header Host on, with nginx: proxy_set_header Host $host;",
      );
    return warn(WHAT, "mcp", `${address} responds with status ${response.status}: it does not lead to filehost from here`, FIX);
  } catch (error) {
    return warn(WHAT, "mcp", `${address} does not lead to filehost from here: ${explainError(error)}`, FIX);
  }
}

const FIX = "Point FILEHOST_MCP_URL to this server, or remove it: then MCP is at the site's address.";
