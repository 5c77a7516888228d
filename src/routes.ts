import {
  AUTHORIZE_PATH,
  DEVICE_CODE_PATH,
  DEVICE_PATH,
  FORGOT_PATH,
  PASSKEY_PROOF_PATH,
  PASSKEY_SIGN_IN_PATH,
  PROVE_PATH,
  PROVIDER_CALLBACK_PATH,
  PROVIDER_PATH,
  PROVIDER_PROOF_PATH,
  REGISTER_PATH,
  REVOKE_PATH,
  SIGN_IN_CODE_PATH,
  SIGN_IN_PATH,
  SIGN_OUT_PATH,
  SIGN_UP_PATH,
  TOKEN_PATH,
  VERIFY_PATH,
} from "../web/account/paths.ts";
import { ASSETS_PATH, assets } from "../web/site/assets.ts";
import { FILES_PATH, RUNS_PATH } from "../web/files/file-views.ts";
import { MANIFEST_PATH, SERVICE_WORKER_PATH, SHARE_TARGET } from "../web/site/installed-site.ts";
import { MCP_GUEST_PATH, MCP_PATH } from "../web/mcp/paths.ts";
import { NOTICES_PATH } from "../web/notices/paths.ts";
import { DOCUMENT_ASSETS } from "../web/preview/preview-document.tsx";
import { REQUESTS_PATH } from "../web/requests/paths.ts";
import { CONNECT_PATH, DISCONNECT_PATH, NOTICE_SETTINGS_PATH, TWO_STEP_PATH } from "../web/settings/paths.ts";
import { EXTEND_PATH, SHARES_PATH } from "../web/shares/paths.ts";
import { SPONSOR_PATH } from "../web/share/sponsor.tsx";
import type { Ctx } from "./context.ts";
import { findUnready } from "./service/system/get-health.ts";
import { sendSignIn, sendSignOut, sendSignUp, showSignInPage, showSignUpPage } from "../web/account/sign-in.ts";
import { adminRoutes } from "../web/admin/routes.ts";
import { sendManifest, sendServiceWorker } from "../web/site/manifest.ts";
import { sendBrandAsset } from "./http/branding.ts";
import { sendCode, showCodePage } from "../web/account/code.ts";
import { confirmDeletion, deleteByLink } from "../web/share/deletion.ts";
import { sendDevice, showDevicePage } from "../web/account/device.ts";
import { showDocsPage } from "../web/docs/docs.ts";
import { download } from "./http/download.ts";
import { downloadArchive, downloadOwnArchive } from "./http/download-archive.ts";
import type { HttpContext, RateClass, Route } from "./http/env.ts";
import { changeDetailsPage, showDetailsPage } from "../web/files/details.ts";
import { changeFilesPage } from "../web/files/files-forms.ts";
import { downloadOwnFile, showFilesPage } from "../web/files/files.ts";
import { toLlmsText } from "./http/llms.ts";
import { endMcpSession, handleGuestMcp, handleMcp } from "./http/mcp-endpoint.ts";
import { showMcpPage, withoutSlash } from "../web/mcp/mcp.ts";
import { folderOf } from "./http/mount-routes.ts";
import { saveNoticeSettings, showNoticeSettings } from "../web/settings/notice-settings.ts";
import { readAllNotices, showNoticesPage } from "../web/notices/notices.ts";
import { endToken, registerOAuthClient, sendDeviceCode, sendTokens } from "./http/oauth-endpoints.ts";
import { metadataRoutes } from "./http/oauth-metadata.ts";
import { sendConsent, showConsentPage } from "../web/account/consent.ts";
import { handleHealth, operationRoutes } from "./http/operation-routes.ts";
import { redirectToHomePage, sendAsset, sendRobotsText, showHomePage } from "../web/home/home.ts";
import { sendPasskeyProof, sendPasskeySignIn } from "../web/account/passkeys.ts";
import { sendForgotten, sendNewPassword, showForgottenPage, showNewPasswordPage } from "../web/account/passwords.ts";
import { receivePaymentWebhook } from "./http/payment-webhook.ts";
import { sendPreviewBytes, showPreviewDocument } from "../web/share/preview.ts";
import { sendProof, showProvePage } from "../web/account/prove.ts";
import { connectProvider, disconnectProvider, proveAtProvider, returnFromProvider, signInAtProvider } from "../web/account/providers.ts";
import { showPublicPage } from "../web/public-page/public-page.ts";
import { showPurchasePage } from "../web/sale/purchase.ts";
import { sendReport, showReportForm } from "../web/share/report.ts";
import { receiveAtRequestLink, removeByReceipt, showReceipt, showRequestLink } from "../web/requests/link.ts";
import { actOnRequest, changeRequest, makeRequest, showRequestPage, showRequestsPage } from "../web/requests/requests.ts";
import { respondCompressedJson, respondJson, respondText } from "./http/respond.ts";
import { showRunPage, showRunsPage } from "../web/files/runs.ts";
import { SELLING_ROUTES, SETTINGS_ROUTES } from "../web/settings/routes.ts";
import { downloadForProgram } from "../web/share/download.ts";
import {
  buyFromPage,
  downloadArchiveFromPage,
  downloadFromPage,
  encryptedBytesForPage,
  previewOnPage,
  redirectToShare,
  showHandoffPage,
  showSharePage,
  unlockShare,
} from "../web/share/share.ts";
import { askCloseShare, closeSharePage, extendShare, saveShareNotices, showDownloadsPage, showSharesPage } from "../web/shares/shares.ts";
import { sponsorDocument } from "../web/share/sponsoring.ts";
import { sendCardImage, sendThumbnail } from "../web/share/thumbnail.ts";
import { changeTwoStep, showTwoStepPage } from "../web/settings/two-step.ts";
import { showUnsubscribePage, unsubscribeByLink } from "../web/notices/unsubscribe.ts";
import { postUpload, putDelegatedUpload, putUpload, putUploadPart } from "./http/upload.ts";
import { sendVerificationAgain, showVerificationLink, showVerifyPage, verifyByLink } from "../web/account/verify.ts";

/**
 * All routes of the server, in groups and in the order of matching: method, path, rate class, handler. `:name` is a parameter. Other methods
 * of a path get a 405 (`mount-routes.ts`), CORS preflights get a response before routing (`middleware.ts`).
 */
export function listRoutes(ctx: Pick<Ctx, "urls" | "config">): readonly (readonly Route[])[] {
  const prefixes = apiPrefixes(ctx);
  const { html: sponsorHtml } = ctx.config.sponsoring;

  // Operations: `operation-paths.ts`.
  const fixed: readonly Route[] = [
    get("/health/live", "uncounted", live),
    get("/api/health/live", "uncounted", live),
    ...prefixes.flatMap((prefix) => operationRoutes(prefix, { hasParameters: false })),
  ];
  const withParameters: readonly Route[] = prefixes.flatMap((prefix) => operationRoutes(prefix, { hasParameters: true }));

  const provider: readonly Route[] = [
    post(PROVIDER_PATH, "caller", signInAtProvider),
    { ...get(PROVIDER_CALLBACK_PATH, "caller", returnFromProvider), refusesHead: true },
    post(PROVIDER_PROOF_PATH, "caller", proveAtProvider),
    post(CONNECT_PATH, "caller", connectProvider),
  ];

  const others: readonly Route[] = [
    // For load balancers.
    get("/health", "uncounted", handleHealth),
    get("/ready", "uncounted", ready),

    // Documents for programs.
    ...["", ...prefixes.filter((prefix) => prefix !== "")].flatMap((prefix) => [
      get(`${prefix}/agent-openapi.json`, "request", openApi),
      get(`${prefix}/llms.txt`, "request", llmsText),
    ]),
    get("/robots.txt", "request", (c) => sendRobotsText(c, listClosedFolders(prefixes, others))),

    // Reports of the payment platform, which come in numbers from few addresses.
    ...prefixes.map((prefix) => post(`${prefix}/stripe/webhook`, "refusal", receivePaymentWebhook)),

    // Tools for agents.
    post(MCP_PATH, "caller", handleMcp),
    post(MCP_GUEST_PATH, "caller", handleGuestMcp),
    { ...get(MCP_PATH, "request", showMcpPage), isForBrowsers: true },
    { ...get(MCP_GUEST_PATH, "request", showMcpPage), isForBrowsers: true },
    ...[MCP_PATH, MCP_GUEST_PATH].flatMap((path) => [get(`${path}/`, "request", withoutSlash), post(`${path}/`, "request", withoutSlash)]),
    { method: "DELETE", path: MCP_GUEST_PATH, rate: "caller", handle: endMcpSession },

    // Applications that ask accounts for their consent.
    ...metadataRoutes(ctx),
    post(REGISTER_PATH, "caller", registerOAuthClient),
    post(TOKEN_PATH, "caller", sendTokens),
    post(REVOKE_PATH, "caller", endToken),
    post(DEVICE_CODE_PATH, "caller", sendDeviceCode),
    get(DEVICE_PATH, "caller", showDevicePage),
    post(DEVICE_PATH, "caller", sendDevice),
    get(AUTHORIZE_PATH, "caller", showConsentPage),
    post(AUTHORIZE_PATH, "caller", sendConsent),

    // Bytes, at signed URLs and at the URLs of upload delegations.
    ...signedRoutes(),
    put("/up/:sessionKey/:partNumber", "uncounted", putUploadPart),
    put("/de/:token", "caller", putDelegatedUpload),

    // Pages. Links are often copied with a slash at the end.
    get("/", "request", showHomePage),
    get(MANIFEST_PATH, "uncounted", sendManifest),
    get(SERVICE_WORKER_PATH, "uncounted", sendServiceWorker),
    get("/d/:shortId", "request", showSharePage),
    get("/d/:shortId/", "request", showSharePage),
    get("/d/:shortId/card.webp", "request", sendCardImage),
    get("/h/:token", "request", showHandoffPage),
    get("/h/:token/", "request", showHandoffPage),
    post("/d/:shortId/unlock", "caller", unlockShare),
    get("/d/:shortId/unlock", "refusal", redirectToShare),
    post("/d/:shortId/buy", "caller", buyFromPage),
    get("/d/:shortId/buy", "refusal", redirectToShare),
    get("/purchases/:sessionId", "caller", showPurchasePage),
    post("/d/:shortId/download", "caller", downloadFromPage),
    get("/d/:shortId/download", "caller", downloadForProgram),
    post("/d/:shortId/bytes", "caller", encryptedBytesForPage),
    get("/d/:shortId/bytes", "refusal", redirectToShare),
    post("/d/:shortId/archive", "caller", downloadArchiveFromPage),
    get("/d/:shortId/archive", "refusal", redirectToShare),
    post("/d/:shortId/preview", "caller", previewOnPage),
    get("/d/:shortId/preview", "refusal", redirectToShare),
    get("/delete/:fileId/:token", "request", confirmDeletion),
    post("/delete/:fileId/:token", "caller", deleteByLink),
    get("/r/:token", "request", showRequestLink),
    get("/r/:token/", "request", showRequestLink),
    post("/r/:token", "caller", receiveAtRequestLink),
    get("/r/:token/:shortId/:deletionToken", "request", showReceipt),
    post("/r/:token/:shortId/:deletionToken", "caller", removeByReceipt),
    get(REQUESTS_PATH, "caller", showRequestsPage),
    post(REQUESTS_PATH, "caller", makeRequest),
    get("/requests/:id", "caller", showRequestPage),
    post("/requests/:id", "caller", changeRequest),
    post("/requests/:id/:action", "caller", actOnRequest),
    get("/report/:shortId", "request", showReportForm),
    post("/report/:shortId", "caller", sendReport),
    get(SIGN_IN_PATH, "request", showSignInPage),
    post(SIGN_IN_PATH, "caller", sendSignIn),
    post(PASSKEY_SIGN_IN_PATH, "caller", sendPasskeySignIn),
    get(SIGN_IN_CODE_PATH, "request", showCodePage),
    post(SIGN_IN_CODE_PATH, "caller", sendCode),
    get(SIGN_UP_PATH, "request", showSignUpPage),
    post(SIGN_UP_PATH, "caller", sendSignUp),
    get("/invite/:token", "request", showSignUpPage),
    post("/invite/:token", "caller", sendSignUp),
    post(SIGN_OUT_PATH, "caller", sendSignOut),
    get(FORGOT_PATH, "request", showForgottenPage),
    post(FORGOT_PATH, "caller", sendForgotten),
    get("/reset/:token", "request", showNewPasswordPage),
    post("/reset/:token", "caller", sendNewPassword),
    get(VERIFY_PATH, "caller", showVerifyPage),
    post(VERIFY_PATH, "caller", sendVerificationAgain),
    get(`${VERIFY_PATH}/:token`, "request", showVerificationLink),
    post(`${VERIFY_PATH}/:token`, "caller", verifyByLink),
    get(PROVE_PATH, "caller", showProvePage),
    post(PROVE_PATH, "caller", sendProof),
    post(PASSKEY_PROOF_PATH, "caller", sendPasskeyProof),
    ...(ctx.config.oidc === undefined ? [] : provider),
    post(DISCONNECT_PATH, "caller", disconnectProvider),
    ...SETTINGS_ROUTES,
    ...(ctx.config.payments === undefined ? [] : SELLING_ROUTES),
    get(NOTICE_SETTINGS_PATH, "caller", showNoticeSettings),
    post(NOTICE_SETTINGS_PATH, "caller", saveNoticeSettings),
    get(NOTICES_PATH, "caller", showNoticesPage),
    post(NOTICES_PATH, "caller", readAllNotices),
    get("/unsubscribe/:token", "request", showUnsubscribePage),
    post("/unsubscribe/:token", "request", unsubscribeByLink),
    get("/u/:username", "request", showPublicPage),
    get(SHARES_PATH, "caller", showSharesPage),
    post(EXTEND_PATH, "caller", extendShare),
    get("/shares/:shortId/close", "caller", askCloseShare),
    post("/shares/:shortId/close", "caller", closeSharePage),
    get("/shares/:shortId/downloads", "caller", showDownloadsPage),
    post("/shares/:shortId/downloads", "caller", saveShareNotices),
    get(FILES_PATH, "caller", showFilesPage),
    post(FILES_PATH, "caller", changeFilesPage),
    get(RUNS_PATH, "caller", showRunsPage),
    get(`${RUNS_PATH}/:runId`, "caller", showRunPage),
    get(`${FILES_PATH}/get/:fileId`, "caller", downloadOwnFile),
    get(`${FILES_PATH}/details/:fileId`, "caller", showDetailsPage),
    post(`${FILES_PATH}/details/:fileId`, "caller", changeDetailsPage),
    get(`${FILES_PATH}/:folderId`, "caller", showFilesPage),
    post(`${FILES_PATH}/:folderId`, "caller", changeFilesPage),
    get(TWO_STEP_PATH, "caller", showTwoStepPage),
    post(TWO_STEP_PATH, "caller", changeTwoStep),
    ...adminRoutes,
    get("/docs", "request", showDocsPage),
    get("/docs/", "request", showDocsPage),
    ...(sponsorHtml === undefined ? [] : [get(SPONSOR_PATH, "uncounted", sponsorDocument(sponsorHtml))]),
    ...[...assets].map(([path, asset]) => get(path, "uncounted", (c) => sendAsset(c, asset))),
    get(`${ASSETS_PATH}:name`, "uncounted", sendBrandAsset),

    // Uploads with curl and from the front page's form.
    put("/", "caller", putUpload),
    put("/:name", "caller", putUpload),
    post("/", "caller", postUpload),
    // Without the service worker.
    post(SHARE_TARGET.path, "caller", postUpload),
    get(SHARE_TARGET.path, "refusal", redirectToHomePage),
  ];

  // `curl -T b.txt {site_url}/a/b.txt`, but not below the folders of other routes. `//` has no segment: a file without a name.
  const folders = new Set(
    [...fixed, ...withParameters, ...others].filter(({ path }) => /^\/[^/]+\/./.test(path)).map(({ path }) => folderOf(path)),
  );
  const nested = put("/*", "caller", (c) => (folders.has(folderOf(c.req.path)) ? c.notFound() : putUpload(c)));

  return [fixed, withParameters, others, [nested]];
}

/** The bytes of files, at signed URLs. */
const signedRoutes = (): readonly Route[] => [
  get("/dl/:fileId", "uncounted", download),
  get("/dl/:fileId/:name", "uncounted", download),
  get("/pv/:fileId/:name", "uncounted", sendPreviewBytes),
  // Counted, because text is rendered for each request.
  get("/pv/:fileId", "request", showPreviewDocument),
  get("/ar/:archive", "uncounted", downloadArchive),
  get("/ar/own/:archive", "uncounted", downloadOwnArchive),
  get("/thumb/:fileId", "uncounted", sendThumbnail),
];

/** All routes of the content host: the bytes of files, and what the documents of previews load (addresses, "The content host"). */
export const listContentRoutes = (): readonly Route[] => [
  ...signedRoutes(),
  ...[...assets].filter(([path]) => DOCUMENT_ASSETS.has(path)).map(([path, asset]) => get(path, "uncounted", (c) => sendAsset(c, asset))),
];

/** The API's path prefixes: `/api` and the path of the configured base URL. */
export function apiPrefixes({ urls }: Pick<Ctx, "urls">): readonly string[] {
  return [...new Set(["/api", new URL(urls.apiUrl).pathname.replace(/\/$/, "")])];
}

/**
 * The folders that crawlers must not fetch: the API, and all others with IDs or tokens in their URLs. The pages of links that people send each
 * other stay open, so that crawlers see their `noindex`.
 */
function listClosedFolders(prefixes: readonly string[], routes: readonly Route[]): readonly string[] {
  const folders = routes
    .filter(({ path }) => path.includes("/:") && !path.startsWith("/:"))
    .map(({ path }) => `/${folderOf(path)}`)
    .filter((folder) => !["/d", "/h", "/r", "/u", "/assets"].includes(folder));
  return [...new Set([...prefixes.filter((prefix) => prefix !== ""), ...folders])];
}

const live = (c: HttpContext): Response => respondJson(c, { status: "ok" });

/** For load balancers: whether to send requests here (addresses, "Health"). */
async function ready(c: HttpContext): Promise<Response> {
  const reason = c.env.stop?.aborted ? "The server is stopping." : await findUnready(c.env.ctx);
  return reason === undefined ? respondJson(c, { status: "ready" }) : respondJson(c, { status: "unready", reason }, 503);
}
const openApi = async (c: HttpContext): Promise<Response> => {
  // Loaded on demand: converting the schemas takes a sixth of a start's processor time.
  const { toOpenApi } = await import("./http/openapi/openapi.ts");
  return await respondCompressedJson(c, toOpenApi(c.env.ctx.urls));
};
const llmsText = (c: HttpContext): Promise<Response> => respondText(c, toLlmsText(c.env.ctx), { "Cache-Control": "no-store" });

type Row = (path: string, rate: RateClass, handle: Route["handle"]) => Route;

const get: Row = (path, rate, handle) => ({ method: "GET", path, rate, handle });
const post: Row = (path, rate, handle) => ({ method: "POST", path, rate, handle });
const put: Row = (path, rate, handle) => ({ method: "PUT", path, rate, handle });
