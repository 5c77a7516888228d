import { clientOf } from "../api/api.ts";
import {
  makeAnonymousFile,
  makeConnection,
  makeEndedShare,
  makeFailedJob,
  makeFile,
  makeFolder,
  makeKey,
  makeNotice,
  makeReport,
  makeRequest,
  makeSession,
  makeWebhook,
} from "../api/fixtures.ts";
import { makePasskey } from "../api/operation-examples.ts";
import { sha256 } from "../uploads/multipart.ts";
import {
  blockToken,
  consentPath,
  deleteUserForm,
  deletionLink,
  emailToken,
  handoffToken,
  inviteToken,
  type MakeRequests,
  named,
  PASSWORD,
  receipt,
  reportForms,
  requestForms,
  resetToken,
  shortIdOf,
  tokenOfRequest,
  unlocking,
  unsubscribeToken,
  userForms,
  userIdOf,
  verifyToken,
  webhookForms,
} from "./page-requests.ts";

/** Requests of a route that is not an operation, and the callers that may send them. */
export type PageExample =
  | {
      readonly by: "anyone" | "person" | "administrator";
      /** Makes one request for each action of the page's forms. */
      readonly make: MakeRequests;
      /** Whether the token in the URL is enough, from any site. */
      readonly fromAnywhere?: true;
      /** The reason why reading the page changes something. */
      readonly changes?: string;
    }
  /** The test of other callers, because the URL itself gives access to the bytes. */
  | { readonly by: "signed URL"; readonly triedIn: string };

const toMake = (make: string | MakeRequests): MakeRequests => (typeof make === "string" ? () => [{ path: make }] : make);

const anyone = (make: string | MakeRequests, more: { readonly fromAnywhere?: true } = {}): PageExample => ({
  by: "anyone",
  make: toMake(make),
  ...more,
});
const person = (make: string | MakeRequests, more: { readonly changes?: string } = {}): PageExample => ({
  by: "person",
  make: toMake(make),
  ...more,
});
const administrator = (make: string | MakeRequests): PageExample => ({ by: "administrator", make: toMake(make) });
const signed = (triedIn: string): PageExample => ({ by: "signed URL", triedIn });

/** Requests of every route that is not an operation, by its method and path. */
export const PAGE_EXAMPLES: Readonly<Record<string, PageExample>> = {
  "GET /health": anyone("/health"),
  "GET /health/live": anyone("/health/live"),
  "GET /ready": anyone("/ready"),
  "GET /api/health/live": anyone("/api/health/live"),
  "GET /agent-openapi.json": anyone("/agent-openapi.json"),
  "GET /api/agent-openapi.json": anyone("/api/agent-openapi.json"),
  "GET /llms.txt": anyone("/llms.txt"),
  "GET /api/llms.txt": anyone("/api/llms.txt"),
  "GET /robots.txt": anyone("/robots.txt"),
  "GET /manifest.webmanifest": anyone("/manifest.webmanifest"),
  "GET /service-worker.js": anyone("/service-worker.js"),
  "GET /.well-known/oauth-authorization-server": anyone("/.well-known/oauth-authorization-server"),
  "GET /.well-known/oauth-authorization-server/mcp": anyone("/.well-known/oauth-authorization-server/mcp"),
  "GET /.well-known/oauth-protected-resource": anyone("/.well-known/oauth-protected-resource"),
  "GET /.well-known/oauth-protected-resource/api": anyone("/.well-known/oauth-protected-resource/api"),
  "GET /.well-known/oauth-protected-resource/mcp": anyone("/.well-known/oauth-protected-resource/mcp"),
  "GET /docs": anyone("/docs"),
  "GET /docs/": anyone("/docs/"),
  "GET /docs/:page": anyone("/docs/curl"),
  "GET /mcp": anyone("/mcp"),
  "GET /mcp/guest": anyone("/mcp/guest"),
  "GET /mcp/": anyone("/mcp/"),
  "GET /mcp/guest/": anyone("/mcp/guest/"),
  "GET /": anyone("/"),

  "GET /dl/:fileId": signed("signatures.test.ts"),
  "GET /dl/:fileId/:name": signed("signatures.test.ts"),
  "GET /pv/:fileId/:name": signed("previews.test.ts"),
  "GET /pv/:fileId": signed("previews.test.ts"),
  "GET /d/:shortId/encrypted/:fileId": signed("decrypted-previews.browser.test.ts"),
  "GET /decrypted-preview": anyone("/decrypted-preview"),
  "GET /ar/:archive": signed("archive.test.ts"),
  "GET /ar/own/:archive": signed("chosen-files.test.ts"),
  "GET /thumb/:fileId": signed("thumbnails.test.ts"),
  "PUT /up/:sessionKey/:partNumber": signed("part-urls.test.ts"),
  "PUT /de/:token": signed("delegations.test.ts"),

  // Anybody may upload without a key.
  "PUT /": anyone("/"),
  "PUT /:name": anyone("/note.txt"),
  "PUT /docs/:page": anyone("/docs/note.txt"),
  "PUT /*": anyone("/a/note.txt"),
  "POST /": anyone(() => [{ path: "/", fields: {} }]),
  "POST /share-target": anyone(() => [{ path: "/share-target", fields: {} }]),
  "GET /share-target": anyone("/share-target"),

  // Everybody with the link may open a share.
  "GET /d/:shortId": anyone(named(shortIdOf, (id) => `/d/${id}`)),
  "GET /d/:shortId/": anyone(named(shortIdOf, (id) => `/d/${id}/`)),
  "GET /d/*": anyone(named(shortIdOf, (id) => `/d/${id}/download.`)),
  "GET /d/:shortId/card.webp": anyone(named(shortIdOf, (id) => `/d/${id}/card.webp`)),
  "GET /h/:token": anyone(named(handoffToken, (token) => `/h/${token}`)),
  "GET /h/:token/": anyone(named(handoffToken, (token) => `/h/${token}/`)),
  "GET /h/*": anyone(named(handoffToken, (token) => `/h/${token}/).`)),
  "POST /d/:shortId/unlock": anyone(unlocking("unlock")),
  "POST /d/:shortId/buy": anyone(unlocking("buy")),
  "GET /d/:shortId/buy": anyone(unlocking("buy")),
  "GET /purchases/:sessionId": anyone("/purchases/cs_test_unknown"),
  "POST /d/:shortId/download": anyone(unlocking("download")),
  "POST /d/:shortId/bytes": anyone(unlocking("bytes")),
  "GET /d/:shortId/bytes": anyone(unlocking("bytes")),
  "POST /d/:shortId/archive": anyone(unlocking("archive")),
  "POST /d/:shortId/preview": anyone(unlocking("preview")),
  "GET /d/:shortId/unlock": anyone(unlocking("unlock")),
  "GET /d/:shortId/download": anyone(unlocking("download")),
  "GET /d/:shortId/archive": anyone(unlocking("archive")),
  "GET /d/:shortId/preview": anyone(unlocking("preview")),
  "GET /u/:username": anyone("/u/nobody"),
  "GET /delete/:fileId/:token": anyone(deletionLink),
  "POST /delete/:fileId/:token": anyone(deletionLink),
  "GET /report/:shortId": anyone(named(shortIdOf, (id) => `/report/${id}`)),
  "GET /report/*": anyone(named(shortIdOf, (id) => `/report/${id}/)`)),
  "POST /report/:shortId": anyone(named(shortIdOf, (id) => `/report/${id}`, { reason: "other" })),

  // Everybody with the link may use a request.
  "GET /r/:token": anyone(named(tokenOfRequest, (token) => `/r/${token}`)),
  "GET /r/:token/": anyone(named(tokenOfRequest, (token) => `/r/${token}/`)),
  "GET /r/*": anyone(named(tokenOfRequest, (token) => `/r/${token}/).`)),
  "POST /r/:token": anyone(named(tokenOfRequest, (token) => `/r/${token}`, { unlockCode: "ABCDEF" })),
  "GET /r/:token/:shortId/:deletionToken": anyone(receipt(() => ({}))),
  "POST /r/:token/:shortId/:deletionToken": anyone(receipt((fileId) => ({ fileId }))),

  // The signature of the payment platform's reports is their credential.
  "POST /api/stripe/webhook": anyone(() => [{ path: "/api/stripe/webhook", fields: {}, refused: 409 }], { fromAnywhere: true }),

  // Applications send their credential in the request, from any site.
  "POST /oauth/register": anyone(() => [{ path: "/oauth/register", fields: {}, refused: 400 }], { fromAnywhere: true }),
  "POST /oauth/token": anyone(() => [{ path: "/oauth/token", fields: { grant_type: "refresh_token" }, refused: 400 }], {
    fromAnywhere: true,
  }),
  "POST /oauth/revoke": anyone(() => [{ path: "/oauth/revoke", fields: {}, refused: 400 }], { fromAnywhere: true }),
  "POST /oauth/device": anyone(() => [{ path: "/oauth/device", fields: {}, refused: 400 }], { fromAnywhere: true }),
  "GET /device": person(() => [{ path: "/device", needsProof: true }]),
  "POST /device": person(() => [{ path: "/device", fields: { code: "AAAA-AAAA" }, needsProof: true, refused: 404 }]),
  "GET /oauth/authorize": person(async (world) => [{ path: await consentPath(world), needsProof: true }]),
  "POST /oauth/authorize": person(async (world) => [
    { path: await consentPath(world), fields: { request: "unknown", decision: "allow", account: world.owner.userId }, needsProof: true },
    { path: await consentPath(world), fields: { request: "unknown", decision: "cancel", account: world.owner.userId } },
  ]),

  // These routes sign in and up, and are in links of mails.
  "GET /signin": anyone("/signin"),
  "POST /signin": anyone(() => [{ path: "/signin", fields: { login: "ada@example.org", password: PASSWORD } }]),
  "GET /signin/code": anyone("/signin/code"),
  "POST /signin/code": anyone(() => [{ path: "/signin/code", fields: { code: "123456" } }]),
  "POST /signin/passkey": anyone(() => [{ path: "/signin/passkey", fields: { credential: "{}" } }]),
  "POST /signin/oidc": anyone(() => [{ path: "/signin/oidc", fields: { next: "/files" } }]),
  "GET /signin/oidc/callback": anyone("/signin/oidc/callback?code=a&state=b"),
  "GET /signup": anyone("/signup"),
  "POST /signup": anyone(() => [
    { path: "/signup", fields: { email: `${crypto.randomUUID()}@example.org`, name: "Ada", password: PASSWORD } },
  ]),
  "GET /invite/:token": anyone(named(inviteToken, (token) => `/invite/${token}`)),
  "POST /invite/:token": anyone(async (world) => {
    const token = await inviteToken(world);
    const fields = { email: `${crypto.randomUUID()}@example.org`, name: "Ada", password: PASSWORD };
    return [{ path: `/invite/${token}`, names: [token], fields }];
  }),
  "POST /signout": anyone(() => [{ path: "/signout", fields: {} }]),
  "GET /forgot": anyone("/forgot"),
  "POST /forgot": anyone(() => [{ path: "/forgot", fields: { email: "ada@example.org" } }]),
  "GET /reset/:token": anyone(named(resetToken, (token) => `/reset/${token}`)),
  "POST /reset/:token": anyone(named(resetToken, (token) => `/reset/${token}`, { newPassword: PASSWORD })),
  "GET /verify/:token": anyone(named(verifyToken, (token) => `/verify/${token}`)),
  "POST /verify/:token": anyone(named(verifyToken, (token) => `/verify/${token}`, {})),
  "GET /unsubscribe/:token": anyone(named(unsubscribeToken, (token) => `/unsubscribe/${token}`)),
  "GET /block/:token": anyone(named(blockToken, (token) => `/block/${token}`)),
  "POST /block/:token": anyone(
    named(blockToken, (token) => `/block/${token}`, {}),
    { fromAnywhere: true },
  ),
  "POST /h/:token/opened": anyone(() => [{ path: "/h/hr_unknown/opened", fields: {} }], { fromAnywhere: true }),
  "POST /unsubscribe/:token": anyone(
    named(unsubscribeToken, (token) => `/unsubscribe/${token}`, {}),
    { fromAnywhere: true },
  ),

  // These pages belong to the signed-in account.
  "GET /verify": person("/verify"),
  "POST /verify": person(() => [{ path: "/verify", fields: {} }]),
  "GET /prove": person("/prove"),
  "POST /prove": person(() => [{ path: "/prove", fields: { password: "a wrong password" }, refused: 403 }]),
  "POST /prove/passkey": person(() => [{ path: "/prove/passkey", fields: { credential: "{}" }, refused: 403 }]),
  "POST /prove/oidc": person(() => [{ path: "/prove/oidc", fields: { next: "/files" } }]),
  "GET /requests": person("/requests"),
  "POST /requests": person(() => [{ path: "/requests", fields: { title: "Photos", maxFiles: "3" } }]),
  "GET /requests/:id": person(
    named(
      async (world) => (await makeRequest(world)).id,
      (id) => `/requests/${id}`,
    ),
  ),
  "POST /requests/:id": person(
    named(
      async (world) => (await makeRequest(world)).id,
      (id) => `/requests/${id}`,
      { title: "Changed" },
    ),
  ),
  "POST /requests/:id/:action": person(requestForms),
  "GET /files": person("/files"),
  "GET /files/:folderId": person(named(makeFolder, (id) => `/files/${id}`)),
  "GET /files/runs": person("/files/runs"),
  "GET /files/runs/:runId": person("/files/runs/run-9"),
  "GET /files/details/:fileId": person(async (world) => {
    const { id } = await makeFile(world);
    return [{ path: `/files/details/${id}`, names: [id] }];
  }),
  "GET /files/get/:fileId": person(
    named(
      async (world) => (await makeFile(world)).id,
      (id) => `/files/get/${id}`,
    ),
  ),
  "GET /shares": person("/shares"),
  "POST /shares/extend": person(async (world) => {
    const shortId = await shortIdOf(world);
    return [{ path: "/shares/extend", names: [shortId], fields: { shortId, days: "7" } }];
  }),
  "GET /shares/:shortId/close": person(named(shortIdOf, (id) => `/shares/${id}/close`)),
  "POST /shares/:shortId/close": person(named(shortIdOf, (id) => `/shares/${id}/close`, {})),
  "POST /shares/:shortId/share-again": person(named(makeEndedShare, (id) => `/shares/${id}/share-again`, {})),
  "POST /shares/:shortId/remove-from-list": person(named(makeEndedShare, (id) => `/shares/${id}/remove-from-list`, {})),
  "GET /shares/:shortId/downloads": person(named(shortIdOf, (id) => `/shares/${id}/downloads`)),
  "POST /shares/:shortId/downloads": person(named(shortIdOf, (id) => `/shares/${id}/downloads`, { notify: "true" })),
  "GET /notices": person("/notices"),
  "POST /notices": person(() => [{ path: "/notices", fields: {} }]),
  "GET /notices/:id": person(
    named(makeNotice, (id) => `/notices/${id}`),
    { changes: "the notice is read once its page is opened" },
  ),
  "GET /settings": person("/settings"),
  "POST /settings": person(() => [
    { path: "/settings", fields: { action: "name", name: "Ada" } },
    { path: "/settings", fields: { action: "username", username: `u${crypto.randomUUID().slice(0, 20)}` } },
    { path: "/settings", fields: { action: "remove-username" } },
    { path: "/settings", fields: { action: "cancel-email" } },
    { path: "/settings", fields: { action: "prove-email" } },
  ]),
  "GET /settings/email": person(() => [{ path: "/settings/email", needsProof: true }]),
  "POST /settings/email": person(() => [
    { path: "/settings/email", fields: { newEmail: `${crypto.randomUUID()}@example.org` }, needsProof: true },
  ]),
  "GET /settings/email/:token": person(named(emailToken, (token) => `/settings/email/${token}`)),
  "POST /settings/email/:token": person(named(emailToken, (token) => `/settings/email/${token}`, {})),
  "GET /settings/keys": person("/settings/keys"),
  "POST /settings/keys": person(async (world) => {
    const [path, id] = ["/settings/keys", await makeKey(world)];
    return [
      { path, fields: { action: "create", label: "A key", scope: "full" }, needsProof: true },
      { path, names: [id], fields: { action: "rotate", id }, needsProof: true },
      { path, names: [id], fields: { action: "revoke", id } },
    ];
  }),
  "GET /settings/webhooks": person("/settings/webhooks"),
  "POST /settings/webhooks": person(({ hookUrl }) => [{ path: "/settings/webhooks", fields: { url: hookUrl, events: "file.ready" } }]),
  "GET /settings/webhooks/:id": person(named(makeWebhook, (id) => `/settings/webhooks/${id}`)),
  "POST /settings/webhooks/:id": person(webhookForms),
  "GET /settings/usage": person("/settings/usage"),
  "GET /settings/claim": person("/settings/claim"),
  "POST /settings/claim": person(async (world) => {
    const { shortId, claimToken } = await makeAnonymousFile(world);
    return [{ path: "/settings/claim", fields: { link: shortId, token: claimToken ?? "" } }];
  }),
  "GET /settings/security": person("/settings/security"),
  "POST /settings/security/sessions": person(async (world) => {
    const id = await makeSession(world);
    return [
      { path: "/settings/security/sessions", names: [id], fields: { id } },
      { path: "/settings/security/sessions", fields: {} },
    ];
  }),
  "POST /settings/security/applications": person(async (world) => {
    const id = await makeConnection(world);
    return [{ path: "/settings/security/applications", names: [id], fields: { id } }];
  }),
  "POST /settings/security/password": person(() => [
    { path: "/settings/security/password", fields: { currentPassword: "a wrong password", newPassword: PASSWORD }, refused: 403 },
  ]),
  "POST /settings/security/connect": person(() => [{ path: "/settings/security/connect", fields: {}, needsProof: true }]),
  "POST /settings/security/disconnect": person(() => [{ path: "/settings/security/disconnect", fields: { id: "unknown" }, refused: 404 }]),
  "GET /settings/security/two-step": person(() => [{ path: "/settings/security/two-step", needsProof: true }], {
    changes: "the secret that it shows is kept until a code confirms it",
  }),
  // The page shows the secret of the current session, so the form of another session is refused.
  "POST /settings/security/two-step": person(() =>
    [{ fields: { action: "confirm", code: "123456" } }, { fields: { action: "codes" } }, { fields: { action: "off" } }].map((request) => ({
      path: "/settings/security/two-step",
      needsProof: true,
      ...request,
    })),
  ),
  "GET /settings/security/passkeys": person("/settings/security/passkeys"),
  "POST /settings/security/passkeys": person(async ({ server, owner }) => {
    // The last way to sign in cannot be removed.
    await makePasskey(server, owner.userId);
    const [path, id] = ["/settings/security/passkeys", await makePasskey(server, owner.userId)];
    return [
      { path, fields: { action: "add", credential: "{}" }, refused: 403 },
      { path, names: [id], fields: { action: "rename", id, name: "Another name" } },
      { path, names: [id], fields: { action: "remove", id }, needsProof: true },
    ];
  }),
  "GET /settings/delete": person(() => [{ path: "/settings/delete", needsProof: true }]),
  "POST /settings/delete": person(() => [
    { path: "/settings/delete", fields: { confirm: "another@example.org" }, needsProof: true, refused: 400 },
  ]),
  "GET /settings/notices": person("/settings/notices"),
  "POST /settings/notices": person(() => [{ path: "/settings/notices", fields: { arrived: "on" } }]),

  // These pages belong to administrators.
  "GET /admin": administrator("/admin"),
  "POST /admin": administrator(() => [{ path: "/admin", fields: {} }]),
  "GET /admin/users": administrator("/admin/users"),
  "POST /admin/users": administrator(() => [
    { path: "/admin/users", fields: { email: `${crypto.randomUUID()}@example.org`, name: "Ada", tier: "pro", until: "30d" } },
  ]),
  "GET /admin/users/:id": administrator(named(userIdOf, (id) => `/admin/users/${id}`)),
  "POST /admin/users/:id": administrator(userForms),
  "GET /admin/users/:id/delete": administrator(named(userIdOf, (id) => `/admin/users/${id}/delete`)),
  "POST /admin/users/:id/delete": administrator(deleteUserForm),
  "GET /admin/invites": administrator("/admin/invites"),
  "POST /admin/invites": administrator(async ({ server, administrator }) => [
    { path: "/admin/invites", fields: { action: "create", email: "eve@example.org" } },
    { path: "/admin/invites", fields: { action: "revoke", id: (await clientOf(server, administrator).call("createInvite", {})).data.id } },
  ]),
  "GET /admin/files": administrator("/admin/files"),
  "POST /admin/files": administrator(async (world) => [
    { path: "/admin/files", fields: { action: "rescan", file: (await makeFile(world)).id } },
    { path: "/admin/files", fields: { action: "takedown", file: (await makeFile(world)).id } },
    { path: "/admin/files", fields: { several: "true", action: "takedown", file: (await makeFile(world)).id } },
  ]),
  "GET /admin/reports": administrator("/admin/reports"),
  "GET /admin/reports/:id": administrator(named(makeReport, (id) => `/admin/reports/${id}`)),
  "POST /admin/reports/:id": administrator(reportForms),
  "GET /admin/jobs": administrator("/admin/jobs"),
  "POST /admin/jobs": administrator(async (world) => [
    { path: "/admin/jobs", fields: { action: "retry", id: await makeFailedJob(world) } },
    { path: "/admin/jobs", fields: { action: "drop", id: await makeFailedJob(world) } },
    { path: "/admin/jobs?kind=thumbnail", fields: { action: "retry-all" } },
    { path: "/admin/jobs?kind=thumbnail", fields: { action: "drop-all" } },
  ]),
  "GET /admin/settings": administrator("/admin/settings"),
  "POST /admin/settings": administrator(() => [{ path: "/admin/settings", fields: { reset: "name", revision: "1000000" } }]),
  "GET /admin/blocklist": administrator("/admin/blocklist"),
  "POST /admin/blocklist": administrator(async ({ server, administrator }) => {
    const [listed, added] = [sha256(crypto.randomUUID()), sha256(crypto.randomUUID())];
    await clientOf(server, administrator).call("blockDigests", { digests: [listed] });
    return [
      { path: "/admin/blocklist", fields: { action: "remove", digest: listed } },
      { path: "/admin/blocklist", fields: { action: "add", digests: added, reason: "Court order" } },
    ];
  }),
  "GET /admin/audit-log": administrator("/admin/audit-log"),
};
