import { accountRoutes, providerRoutes } from "../web/account/routes.ts";
import { adminRoutes } from "../web/admin/routes.ts";
import { showDocsPage } from "../web/docs/docs.ts";
import { filesRoutes } from "../web/files/routes.ts";
import { redirectToHomePage, showHomePage, showUploadedPage } from "../web/home/home.ts";
import { showMcpPage, withoutSlash } from "../web/mcp/mcp.ts";
import { noticesRoutes } from "../web/notices/routes.ts";
import { DOCUMENT_ASSETS } from "../web/preview/preview-document.tsx";
import { showPublicPage } from "../web/public-page/public-page.ts";
import { recipientRoutes } from "../web/recipients/routes.ts";
import { requestRoutes } from "../web/requests/routes.ts";
import { showPurchasePage } from "../web/selling/purchase.ts";
import { connectionRoutes, sellingRoutes, settingsRoutes } from "../web/settings/routes.ts";
import { sendPreviewBytes, showPreviewDocument } from "../web/share/preview.ts";
import { shareRoutes } from "../web/share/routes.ts";
import { sponsorDocument } from "../web/share/sponsoring.ts";
import { sendThumbnail } from "../web/share/thumbnail.ts";
import { sharesRoutes } from "../web/shares/routes.ts";
import { ASSETS_PATH, assets } from "../web/site/assets.ts";
import { sendManifest, sendServiceWorker } from "../web/site/manifest.ts";
import { sendRobotsText } from "../web/site/robots.ts";
import type { Ctx } from "./context.ts";
import { sendDownload } from "./http/bytes/download.ts";
import { sendArchive, sendOwnArchive } from "./http/bytes/download-archive.ts";
import { postUpload, putDelegatedUpload, putUpload, putUploadPart } from "./http/bytes/upload.ts";
import { toLlmsText } from "./http/endpoints/llms.ts";
import { deleteMcpSession, postGuestMcp, postMcp } from "./http/endpoints/mcp-endpoint.ts";
import { postOAuthDevice, postOAuthRegister, postOAuthRevoke, postOAuthToken } from "./http/endpoints/oauth-endpoints.ts";
import { metadataRoutes } from "./http/endpoints/oauth-metadata.ts";
import { postPaymentWebhook } from "./http/endpoints/payment-webhook.ts";
import { sendBrandAsset } from "./http/responding/branding.ts";
import { respondJson, respondText } from "./http/responding/respond.ts";
import { sendAsset } from "./http/responding/send-asset.ts";
import type { HttpContext, Route } from "./http/routing/env.ts";
import { firstSegment } from "./http/routing/mount-routes.ts";
import { handleHealth, operationRoutes } from "./http/routing/operation-routes.ts";
import { get, post, put } from "./http/routing/route.ts";
import { findUnready } from "./service/system/get-health.ts";

/**
 * Lists all routes of the server, in groups and in the order of matching: method, path, rate class, handler. `:name` is a parameter. Other methods of
 * a path get a 405 (`mount-routes.ts`), CORS preflights get a response before routing (`middleware.ts`).
 */
export function listRoutes(ctx: Pick<Ctx, "urls" | "config">): readonly (readonly Route[])[] {
  const prefixes = apiPrefixes(ctx);
  const { html: sponsorHtml } = ctx.config.sponsoring;

  // Operations, at the paths of their contracts.
  const fixed: readonly Route[] = [
    get("/health/live", "uncounted", live),
    get("/api/health/live", "uncounted", live),
    ...prefixes.flatMap((prefix) => operationRoutes(prefix, { hasParameters: false })),
  ];
  const withParameters: readonly Route[] = prefixes.flatMap((prefix) => operationRoutes(prefix, { hasParameters: true }));

  const others: readonly Route[] = [
    // Load balancers request these routes.
    get("/health", "uncounted", handleHealth),
    get("/ready", "uncounted", ready),

    // Documents for programs.
    ...["", ...prefixes.filter((prefix) => prefix !== "")].flatMap((prefix) => [
      get(`${prefix}/agent-openapi.json`, "request", openApi),
      get(`${prefix}/llms.txt`, "request", llmsText),
    ]),
    get("/robots.txt", "request", (c) => sendRobotsText(c, listClosedFolders(prefixes, others))),

    // Reports of the payment platform come in large numbers from few addresses.
    ...prefixes.map((prefix) => post(`${prefix}/stripe/webhook`, "refusal", postPaymentWebhook)),

    // MCP.
    post("/mcp", "caller", postMcp),
    post("/mcp/guest", "caller", postGuestMcp),
    { ...get("/mcp", "request", showMcpPage), isForBrowsers: true },
    { ...get("/mcp/guest", "request", showMcpPage), isForBrowsers: true },
    ...["/mcp/", "/mcp/guest/"].flatMap((path) => [get(path, "request", withoutSlash), post(path, "request", withoutSlash)]),
    { method: "DELETE", path: "/mcp/guest", rate: "caller", handle: deleteMcpSession },

    // OAuth.
    ...metadataRoutes(ctx),
    post("/oauth/register", "caller", postOAuthRegister),
    post("/oauth/token", "caller", postOAuthToken),
    post("/oauth/revoke", "caller", postOAuthRevoke),
    post("/oauth/device", "caller", postOAuthDevice),

    // Bytes, at signed URLs and at the URLs of upload delegations.
    ...signedRoutes(),
    put("/up/:sessionKey/:partNumber", "uncounted", putUploadPart),
    put("/de/:token", "caller", putDelegatedUpload),

    // Pages.
    get("/", "request", showHomePage),
    get("/manifest.webmanifest", "uncounted", sendManifest),
    get("/service-worker.js", "uncounted", sendServiceWorker),
    ...shareRoutes,
    get("/purchases/:sessionId", "caller", showPurchasePage),
    ...requestRoutes,
    ...accountRoutes,
    ...(ctx.config.oidc === undefined ? [] : [...providerRoutes, ...connectionRoutes]),
    ...settingsRoutes,
    ...(ctx.config.payments === undefined ? [] : sellingRoutes),
    ...noticesRoutes,
    ...recipientRoutes,
    get("/u/:username", "request", showPublicPage),
    ...sharesRoutes,
    ...filesRoutes,
    ...adminRoutes,
    get("/docs", "request", showDocsPage),
    get("/docs/", "request", showDocsPage),
    get("/docs/:page", "request", showDocsPage),
    // `curl -T` sends files to any name, also to one below the documentation.
    put("/docs/:page", "caller", putUpload(showUploadedPage)),
    ...(sponsorHtml === undefined ? [] : [get("/assets/sponsor.html", "uncounted", sponsorDocument(sponsorHtml))]),
    ...[...assets].map(([path, asset]) => get(path, "uncounted", (c) => sendAsset(c, asset))),
    get(`${ASSETS_PATH}:name`, "uncounted", sendBrandAsset),

    // Uploads with curl and from the front page's form.
    put("/", "caller", putUpload(showUploadedPage)),
    put("/:name", "caller", putUpload(showUploadedPage)),
    post("/", "caller", postUpload(showUploadedPage)),
    // The operating system shares files here if the browser has no service worker.
    post("/share-target", "caller", postUpload(showUploadedPage)),
    get("/share-target", "refusal", redirectToHomePage),
  ];

  // Uploads with `curl -T b.txt {site_url}/a/b.txt`, but not below the folders of other routes. `//` has no segment: it is a file without a
  // name.
  const folders = new Set(
    [...fixed, ...withParameters, ...others]
      .filter(({ path }) => /^\/[^/]+\/./.test(path) && path !== "/docs/:page")
      .map(({ path }) => firstSegment(path)),
  );
  const nested = put("/*", "caller", (c) => (folders.has(firstSegment(c.req.path)) ? c.notFound() : putUpload(showUploadedPage)(c)));

  return [fixed, withParameters, others, [nested]];
}

/** Lists the routes for the bytes of files, at signed URLs. */
const signedRoutes = (): readonly Route[] => [
  get("/dl/:fileId", "uncounted", sendDownload),
  get("/dl/:fileId/:name", "uncounted", sendDownload),
  get("/pv/:fileId/:name", "uncounted", sendPreviewBytes),
  // The route counts in the rate limit, because text is rendered for each request.
  get("/pv/:fileId", "request", showPreviewDocument),
  get("/ar/:archive", "uncounted", sendArchive),
  get("/ar/own/:archive", "uncounted", sendOwnArchive),
  get("/thumb/:fileId", "uncounted", sendThumbnail),
];

/** Lists all routes of the content host: the bytes of files, and the resources of preview documents (addresses, "The content host"). */
export const listContentRoutes = (): readonly Route[] => [
  ...signedRoutes(),
  ...[...assets].filter(([path]) => DOCUMENT_ASSETS.has(path)).map(([path, asset]) => get(path, "uncounted", (c) => sendAsset(c, asset))),
];

/** Returns the API's path prefixes: `/api` and the path of the configured base URL. */
export function apiPrefixes({ urls }: Pick<Ctx, "urls">): readonly string[] {
  return [...new Set(["/api", new URL(urls.apiUrl).pathname.replace(/\/$/, "")])];
}

/**
 * Lists the folders that crawlers must not fetch: the API, and all others with IDs or tokens in their URLs. The pages of links that people send each
 * other are allowed, so that crawlers see their `noindex`.
 */
function listClosedFolders(prefixes: readonly string[], routes: readonly Route[]): readonly string[] {
  const folders = routes
    .filter(({ path }) => path.includes("/:") && !path.startsWith("/:"))
    .map(({ path }) => `/${firstSegment(path)}`)
    .filter((folder) => !["/d", "/h", "/r", "/u", "/docs", "/assets"].includes(folder));
  return [...new Set([...prefixes.filter((prefix) => prefix !== ""), ...folders])];
}

const live = (c: HttpContext): Response => respondJson(c, { status: "ok" });

/** Tells load balancers whether to send requests to this server (addresses, "Health"). */
async function ready(c: HttpContext): Promise<Response> {
  const reason = c.env.stop?.aborted ? "The server is stopping." : await findUnready(c.env.ctx);
  return reason === undefined ? respondJson(c, { status: "ready" }) : respondJson(c, { status: "unready", reason }, 503);
}
const openApi = async (c: HttpContext): Promise<Response> => {
  // The module is loaded on demand, because converting the schemas takes a sixth of the processor time of a start.
  const { toOpenApi } = await import("./http/endpoints/openapi/openapi.ts");
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return await respondText(c, JSON.stringify(toOpenApi(c.env.ctx.urls)), headers);
};
const llmsText = (c: HttpContext): Promise<Response> => respondText(c, toLlmsText(c.env.ctx), { "Cache-Control": "no-store" });
