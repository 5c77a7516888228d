import { MCP_GUEST_PATH, MCP_PATH } from "../../src/contract/endpoints.ts";
import { locationHeader } from "../../src/http/responding/location.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { listKeySnippets, listLocalSnippets, listMcpClients } from "./clients.ts";
import { renderMcpPage } from "./mcp-page.tsx";

/** Redirects an address that was copied with a trailing slash to the address without it. Keeps the method and the message. */
export const withoutSlash = (c: HttpContext): Response =>
  new Response(null, { status: 308, headers: locationHeader(c.env.url.pathname.slice(0, -1) + c.env.url.search) });

/** Handles `GET /mcp` and `GET /mcp/guest` of a browser, on the site's own host (pages, "The page of MCP"). */
export async function showMcpPage(c: HttpContext): Promise<Response> {
  const { config, urls } = c.env.ctx;
  const { host } = new URL(urls.mcpUrl);
  const isElsewhere = host !== new URL(urls.siteUrl).host && host === c.env.url.host;
  if (isElsewhere) return redirect(c, 302, urls.siteUrl + c.env.url.pathname + c.env.url.search);
  const isGuest = c.req.path === MCP_GUEST_PATH;
  const address = urls.mcpUrl + (isGuest ? MCP_GUEST_PATH : MCP_PATH);
  // The module is loaded on demand, like in the endpoint.
  const { GUEST_TOOLS, TOOLS } = await import("../../src/mcp/tools.ts");
  const { fileBytes, retentionMs } = config.tiers.anonymous;
  const html = renderMcpPage(pageContext(c), {
    isGuest,
    address,
    clients: listMcpClients(address),
    keySnippets: isGuest ? [] : listKeySnippets(address),
    localSnippets: listLocalSnippets(urls.siteUrl, { isGuest }),
    tools: (isGuest ? GUEST_TOOLS : TOOLS).map(({ description: { name, title } }) => ({ name, title })),
    ...(config.anonymousUploads && { guestUploads: { fileBytes, retentionMs } }),
  });
  return await respondPage(c, { html });
}
