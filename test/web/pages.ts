import { DAY_MS } from "../../src/lib/text/duration.ts";
import { renderConsentPage, renderWrongRequestPage } from "../../web/account/consent/consent-page.tsx";
import { renderDeviceDone, renderDevicePage, renderDeviceQuestion } from "../../web/account/device/device-page.tsx";
import { renderLinkResult } from "../../web/account/link-result-page.tsx";
import { renderForgottenPage, renderLinkSentPage } from "../../web/account/password/forgot-page.tsx";
import { renderNewPasswordPage } from "../../web/account/password/reset-page.tsx";
import { renderProvePage } from "../../web/account/prove/prove-page.tsx";
import { type ProviderProblem, renderLeavingPage, renderProviderProblem } from "../../web/account/providers/provider-pages.tsx";
import { renderCodePage } from "../../web/account/sign-in/code-page.tsx";
import { renderSignInPage } from "../../web/account/sign-in/sign-in-page.tsx";
import { renderSignUpPage } from "../../web/account/sign-up/sign-up-page.tsx";
import { renderVerificationLink, renderVerifyPage } from "../../web/account/verify/verify-page.tsx";
import { type HomePageProps, renderHomePage } from "../../web/home/home-page.tsx";
import { renderUploadedPage, type UploadedPageProps } from "../../web/home/uploaded-page.tsx";
import { listKeySnippets, listLocalSnippets, listMcpClients } from "../../web/mcp/clients.ts";
import { renderMcpPage } from "../../web/mcp/mcp-page.tsx";
import type { McpPageProps } from "../../web/mcp/view.ts";
import { renderNoticesPage } from "../../web/notices/notices-page.tsx";
import { renderUnsubscribePage } from "../../web/notices/unsubscribe-page.tsx";
import { renderBlockedPage, renderBlockingPage } from "../../web/recipients/block-page.tsx";
import { renderClaimPage } from "../../web/settings/claim/claim-page.tsx";
import { renderAccountDeletedPage, renderDeleteAccountPage } from "../../web/settings/delete/delete-account-page.tsx";
import { renderEmailLink, renderEmailPage } from "../../web/settings/email/email-page.tsx";
import { renderKeysPage } from "../../web/settings/keys/keys-page.tsx";
import { renderNoticeSettingsPage } from "../../web/settings/notices/notice-settings-page.tsx";
import { renderProfilePage } from "../../web/settings/profile/profile-page.tsx";
import { renderPasskeysPage } from "../../web/settings/security/passkeys-page.tsx";
import { renderSecurityPage } from "../../web/settings/security/security-page.tsx";
import { renderTwoStepPage } from "../../web/settings/security/two-step-page.tsx";
import { renderUsagePage, type UsagePageProps } from "../../web/settings/usage/usage-page.tsx";
import { type DeliveryView, renderWebhookPage } from "../../web/settings/webhooks/webhook-page.tsx";
import { renderWebhooksPage, type WebhookView } from "../../web/settings/webhooks/webhooks-page.tsx";
import { renderDeletionPage } from "../../web/share/deletion-page.tsx";
import { arrangeFiles, type ListRequest, WHOLE_SHIPMENT } from "../../web/share/file-listing.ts";
import { renderReportPage } from "../../web/share/report-page.tsx";
import { renderSharePage } from "../../web/share/share-page.tsx";
import type { ShareAccess, ShareFile, SharePageProps, ShareWait } from "../../web/share/share-page-props.ts";
import { renderMessagePage } from "../../web/site/message-page.tsx";
import type { PageContext } from "../../web/site/page-context.ts";
import { catalogue } from "../../web/texts/catalogue.ts";
import { adminPages } from "./admin-states.ts";
import { filesPages } from "./files-states.ts";
import { proPages } from "./pro-states.ts";
import { requestsPages } from "./requests-states.ts";
import { salePages } from "./sale-states.ts";
import { sharesPages } from "./shares-states.ts";

export const NOW_MS = Date.UTC(2026, 10, 20, 12, 0);

/** The context of pages in English. */
export const ENGLISH: PageContext = {
  language: "en",
  timeZone: "UTC",
  texts: catalogue.en,
  query: "",
  path: "/",
  formKey: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
  site: { name: "filehost", url: "https://files.example.org", hasOwnUrl: false },
};

const TWO_STEP: PageContext = { ...ENGLISH, path: "/settings/security/two-step", person: { name: "Ada" } };

export function aFile(over: Partial<ShareFile> = {}): ShareFile {
  return {
    id: "aaaa1111bbbb2222",
    name: "Harbour at dusk.jpg",
    sizeBytes: 3_412_000,
    contentType: "image/jpeg",
    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    downloadsLeft: null,
    thumbnailUrl: null,
    thumbnailWidth: null,
    thumbnailHeight: null,
    uploading: false,
    scanStatus: "clean",
    scanReason: null,
    scanCoverage: "whole",
    ...over,
  };
}

export const UNLOCKED: ShareAccess & { readonly kind: "unlocked" } = { kind: "unlocked", field: "unlockToken", token: "ul_abc.def" };

export const aWait = (seconds: number): ShareWait => ({ token: "mftk0000.abc-_D", seconds });

/** Files in two folders and outside folders. */
export const folderOf = (count: number): ShareFile[] =>
  Array.from({ length: count }, (_, index) =>
    aFile({
      id: `f${index}`,
      name: `IMG_${index}.jpg`,
      relativePath: index < 2 ? null : `Trip/${index % 2 === 0 ? "2025" : "2026"}/IMG_${index}.jpg`,
    }),
  );

const UPLOADING: Partial<ShareFile> = { uploading: true, scanStatus: "pending", scanCoverage: null, sha256: null };

/** A name, title or message that tries to be markup, to run a script, and to change the direction of text. */
const HOSTILE = `"><script>alert(1)</script>\u202e\u2066<iframe srcdoc=x>${"👩‍👩‍👧".repeat(6)}.html`;

const mixedFiles = (): ShareFile[] => [
  aFile({ name: "Report.pdf", contentType: "application/pdf", downloadsLeft: 2 }),
  aFile({ id: "b2", name: "Numbers.xlsx", scanCoverage: "none", downloadsLeft: 1 }),
  aFile({ id: "c3", name: "Setup.exe", scanStatus: "unavailable", scanReason: "infected" }),
  aFile({ id: "d4", name: "Used up.zip", downloadsLeft: 0 }),
  aFile({ id: "e5", name: "Damaged.tar", scanStatus: "unavailable", scanReason: "scan_failed", failure: "digest_mismatch" }),
];

/** A shipment of 2,000 files. */
export function thousands(request: Partial<ListRequest> = {}, share: Partial<SharePageProps> = {}): string {
  const files = folderOf(2000);
  return sharePage({}, { title: "Trip", files, listing: arrangeFiles(files, { ...WHOLE_SHIPMENT, ...request }), ...share });
}

/** A share page of one file, or of `share.files`. */
export const sharePage = (file: Partial<ShareFile> = {}, share: Partial<SharePageProps> = {}): string =>
  renderSharePage(ENGLISH, shareProps(file, share));

export function shareProps(file: Partial<ShareFile> = {}, share: Partial<SharePageProps> = {}): SharePageProps {
  const files = share.files ?? [aFile(file)];
  return {
    shortId: "7kXq9Zab",
    shareUrl: "https://files.example.org/d/7kXq9Zab",
    kind: share.files === undefined ? "file" : "shipment",
    own: null,
    expiresAtMs: NOW_MS + 3 * DAY_MS,
    nowMs: NOW_MS,
    once: false,
    access: { kind: "open" },
    files,
    listing: arrangeFiles(files, WHOLE_SHIPMENT),
    ...share,
  };
}

export function showHomePage(over: Partial<HomePageProps> = {}): string {
  return renderHomePage(ENGLISH, {
    siteUrl: "https://files.example.org",
    limits: { fileBytes: 1024 ** 3, retention: { longestMs: 3 * DAY_MS, isKept: false } },
    acceptsEncrypted: true,
    version: "1.2.3",
    ...over,
  });
}

export function showUploadedPage(over: Partial<UploadedPageProps> = {}): string {
  return renderUploadedPage(ENGLISH, {
    shareUrl: "https://files.example.org/d/7kXq9Zab",
    fileId: "aaaa1111bbbb2222",
    name: "Harbour at dusk.jpg",
    fileCount: 1,
    sizeBytes: 3_412_000,
    expiresAtMs: NOW_MS + 3 * DAY_MS,
    once: false,
    claimToken: `claim_${"aB3-".repeat(11)}`,
    deletionToken: `del_${"xY9_".repeat(11)}`,
    deletionUrl: `https://files.example.org/delete/aaaa1111bbbb2222/del_${"xY9_".repeat(11)}`,
    ...over,
  });
}

const WITH_CONTACT: PageContext = { ...ENGLISH, site: { ...ENGLISH.site, abuseUrl: "mailto:abuse@example.org" } };
const PROVIDER = "Example login";
const WITH_PROVIDER: PageContext = { ...ENGLISH, site: { ...ENGLISH.site, provider: PROVIDER } };
const PROVIDER_PROBLEMS = Object.keys(ENGLISH.texts.provider.problems) as ProviderProblem[];
const MESSAGE_KINDS = Object.keys(ENGLISH.texts.messages.kinds) as (keyof typeof ENGLISH.texts.messages.kinds)[];

const SESSION_TIMES = { createdAt: "2026-11-01T11:00:00Z", lastUsedAt: "2026-11-20T11:00:00Z", expiresAt: "2026-12-20T11:00:00Z" };
const SOME_TIMES = { createdAt: "2026-11-01T11:00:00Z", updatedAt: "2026-11-02T11:00:00Z" };
const SOME_WEBHOOKS: readonly [WebhookView, WebhookView] = [
  {
    id: "w1",
    url: "https://example.org/hooks/filehost",
    events: ["file.ready", "file.failed"],
    description: "Production",
    status: "active",
    pausedReason: null,
    ...SOME_TIMES,
  },
  {
    id: "w2",
    url: `https://example.org/${"long-path/".repeat(30)}`,
    events: ["file.downloaded"],
    description: HOSTILE,
    status: "paused",
    pausedReason: "Five events failed.",
    ...SOME_TIMES,
  },
];

const SOME_DELIVERIES = (["delivered", "pending", "failed"] as const).map(
  (status, index): DeliveryView => ({
    id: `d${index}`,
    eventId: `e${index}`,
    type: index === 0 ? "webhook.test" : "file.ready",
    status,
    attempts: index,
    responseStatus: [200, null, 500][index] ?? null,
    error: status === "failed" ? HOSTILE : null,
    createdAt: "2026-11-20T11:00:00Z",
    deliveredAt: status === "delivered" ? "2026-11-20T11:00:01Z" : null,
    nextAttemptAt: status === "pending" ? "2026-11-20T13:00:00Z" : null,
  }),
);

const someUsage = (): UsagePageProps => ({
  isKept: false,
  tier: "free",
  proUntil: null,
  storage: {
    usedBytes: 3.4 * 1024 ** 3,
    reservedBytes: 120 * 1024 ** 2,
    includedBytes: 10 * 1024 ** 3,
    allowedBytes: 10 * 1024 ** 3,
    leftBytes: 6.5 * 1024 ** 3,
    isPastIncluded: false,
    isShared: false,
  },
  limits: {
    fileBytes: 5 * 1024 ** 3,
    maxTtlSeconds: 604_800,
    requestsPerMinute: 100,
    importsPerHour: 30,
    importsLeft: 28,
    files: 100_000,
    filesLeft: 98_766,
    openUploads: 20,
    openUploadsLeft: 19,
  },
  pro: {
    ...{ upgradeUrl: undefined, plans: [], subscription: undefined, hasPaid: false, isUnverified: false },
    limits: { storageBytes: 1024 ** 4, fileBytes: 100 * 1024 ** 3, retentionMs: 365 * 86_400_000 },
  },
});

const SOME_KEYS = [
  { id: "k1", prefix: "bc_3kT9xQ2m", label: "Build server", scope: "files_write", createdAt: "2026-11-20T11:00:00Z", lastUsedAt: null },
  { id: "k2", prefix: "bc_aaaaaaaa", label: HOSTILE, scope: "full", createdAt: "2026-10-20T11:00:00Z", lastUsedAt: "2026-11-20T11:00:00Z" },
  { id: "k3", prefix: "bc_bbbbbbbb", label: null, scope: "files_read", createdAt: "2026-09-20T11:00:00Z", lastUsedAt: null },
] as const;
const SOME_TIME = "2026-11-20T11:00:00Z";
const NO_PASSWORD = { connections: [], applications: [], sessions: [], hasTwoStep: false, passkeyCount: 1, hasPassword: false };
const NOTHING_TO_PROVE = {
  next: "/settings",
  hasPassword: false,
  hasPasskeys: false,
  needsCode: false,
  isConnected: false,
  needsProviderCode: false,
};
const LONG_ADDRESS = `${"long".repeat(30)}@example.org`;
/** The context of a page of who is signed in. */
const STORAGE = { usedBytes: 950_000_000, allowedBytes: 1_073_741_824 };

const asPerson = (path: string, name = "Ada Lovelace"): PageContext => ({
  ...ENGLISH,
  path,
  person: { name, isAdministrator: true, storage: STORAGE },
});

/** The page of MCP, also with all that it folds. */
function mcpPages(): Readonly<Record<string, string>> {
  const tools = [{ name: "service_upload", title: "Upload" }];
  const show = (address: string, over: Partial<McpPageProps> = {}): string =>
    renderMcpPage(
      { ...asPerson("/mcp", HOSTILE) },
      {
        isGuest: false,
        address,
        clients: listMcpClients(address),
        keySnippets: listKeySnippets(address),
        localSnippets: listLocalSnippets("https://files.example.org", { isGuest: false }),
        tools,
        ...over,
      },
    );
  const account = show("https://files.example.org/mcp");
  return {
    mcp: account,
    mcpUnfolded: account.replaceAll('<details name="program"', "<details open"),
    mcpGuest: show(`https://${"long-name.".repeat(12)}example.org/mcp/guest`, {
      isGuest: true,
      keySnippets: [],
      guestUploads: { fileBytes: 1024 ** 3, retentionMs: 3 * DAY_MS },
    }).replaceAll('<details name="program"', "<details open"),
  };
}

/** Each page in each of its variants, by name. */
export function allPages(): Readonly<Record<string, string>> {
  return {
    clean: sharePage(),
    titled: sharePage({}, { title: "Photos of the harbour", message: "Hello,\n\nthe cover photo is the third." }),
    hostile: sharePage({ name: HOSTILE }, { title: HOSTILE, message: HOSTILE }),
    rightToLeft: sharePage({ name: "صورة الميناء عند الغروب.jpg" }, { title: "صور الميناء 🌅", message: "مرحبا" }),
    scanning: sharePage({ scanStatus: "scanning", scanCoverage: null, sha256: null }),
    uploading: sharePage({ uploading: true, scanStatus: "pending", scanCoverage: null, sha256: null, sizeBytes: null }),
    uploadingParts: sharePage({ ...UPLOADING, receivedBytes: 1_500_000 }, { expiresAtMs: null, expiresAfterMs: 3 * DAY_MS }),
    unchecked: sharePage({ scanCoverage: "none", downloadsLeft: 1 }, { once: true }),
    limited: sharePage({ downloadsLeft: 3 }),
    infected: sharePage({ scanStatus: "unavailable", scanReason: "infected" }, { expiresAtMs: null }),
    blocklisted: sharePage({ scanStatus: "unavailable", scanReason: "scan_failed", isBlocklisted: true }),
    long: sharePage({ name: `${"without-any-space-".repeat(14)}.tar.gz` }),
    shipment: sharePage(
      {},
      { title: "Photos", files: [aFile(), aFile({ id: "b2", name: "Map.pdf", scanStatus: "pending", scanCoverage: null })] },
    ),
    files: sharePage({}, { title: "Photos", message: "All of them.", files: folderOf(12) }),
    mixedFiles: sharePage({}, { files: mixedFiles() }),
    filesUploading: sharePage(
      {},
      { title: "Photos", files: [...folderOf(6), aFile({ id: "u1", name: "Film.mp4", ...UPLOADING, receivedBytes: 2_000_000 })] },
    ),
    hostileFiles: sharePage({}, { title: HOSTILE, files: [aFile({ relativePath: `${HOSTILE}/${HOSTILE}` }), aFile({ id: "b2" })] }),
    thousands: thousands(),
    grid: thousands({ folder: "Trip/2025", view: "grid" }),
    secondPage: thousands({ folder: "Trip/2025", page: 2, sort: "size" }),
    found: thousands({ search: "img_19" }),
    unlockedThousands: thousands({}, { access: UNLOCKED }),
    emptyShipment: sharePage({}, { kind: "shipment", title: "Photos", files: [] }),
    locked: sharePage({}, { access: { kind: "locked" } }),
    wrongCode: sharePage(
      { downloadsLeft: 3 },
      { access: { kind: "locked", problem: "Too many wrong codes.", retryAtMs: NOW_MS + DAY_MS / 100 } },
    ),
    lockedShipment: sharePage({}, { access: { kind: "locked" }, files: folderOf(12) }),
    unlocked: sharePage({ scanStatus: "pending", scanCoverage: null }, { access: UNLOCKED }),
    delivery: sharePage({}, { access: { ...UNLOCKED, field: "handoffToken" }, message: `Hi!\n\n${"An-address-without-end/".repeat(12)}` }),
    waiting: sharePage({}, { wait: aWait(300) }),
    waitingShipment: sharePage({}, { wait: aWait(1), files: folderOf(3), access: UNLOCKED }),
    home: showHomePage(),
    uploaded: showUploadedPage(),
    uploadedProtected: showUploadedPage({ unlockCode: "7K2MQX", handoffUrl: `https://files.example.org/h/ho_${"aB3-".repeat(11)}` }),
    deletion: renderDeletionPage(ENGLISH, {
      kind: "file",
      name: "Harbour at dusk.jpg",
      sizeBytes: 3_412_000,
      path: "/delete/aaaa1111bbbb2222/del_xY9",
    }),
    signIn: renderSignInPage(WITH_PROVIDER, { canSignUp: true }),
    signInAgain: renderSignInPage(ENGLISH, {
      login: HOSTILE,
      next: "/settings",
      problem: catalogue.en.account.problems.wrong,
      canSignUp: false,
    }),
    prove: renderProvePage(
      { ...WITH_PROVIDER, path: "/prove", person: { name: HOSTILE } },
      {
        next: "/settings",
        hasPassword: true,
        hasPasskeys: false,
        needsCode: true,
        isConnected: true,
        needsProviderCode: true,
        hasMail: true,
        problem: catalogue.en.factors.wrongProof,
      },
    ),
    provePasskey: renderProvePage(
      { ...ENGLISH, path: "/prove", person: { name: HOSTILE } },
      {
        next: "/settings",
        hasPassword: true,
        hasPasskeys: true,
        needsCode: false,
        isConnected: false,
        needsProviderCode: false,
        hasMail: true,
        passkeyProblem: catalogue.en.passkeys.problems.prove,
      },
    ),
    provePasskeyAlone: renderProvePage(
      { ...WITH_PROVIDER, path: "/prove", person: { name: "Ada" } },
      {
        next: "/settings",
        hasPassword: false,
        hasPasskeys: true,
        needsCode: false,
        isConnected: true,
        needsProviderCode: false,
        hasMail: false,
      },
    ),
    proveNothing: renderProvePage({ ...ENGLISH, path: "/prove", person: { name: "Ada" } }, { ...NOTHING_TO_PROVE, hasMail: true }),
    proveNothingNoMail: renderProvePage({ ...ENGLISH, path: "/prove", person: { name: HOSTILE } }, { ...NOTHING_TO_PROVE, hasMail: false }),
    passkeysNone: renderPasskeysPage(asPerson("/settings/security/passkeys"), {
      passkeys: [],
      nowMs: NOW_MS,
      isProved: true,
      maxNameLength: 60,
    }),
    passkeys: renderPasskeysPage(asPerson("/settings/security/passkeys", HOSTILE), {
      passkeys: [
        { id: "p1", name: "", createdAt: SOME_TIME, lastUsedAt: null, isUsable: true },
        { id: "p2", name: HOSTILE, createdAt: SOME_TIME, lastUsedAt: SOME_TIME, isUsable: false },
        { id: "p3", name: "w".repeat(60), createdAt: SOME_TIME, lastUsedAt: SOME_TIME, isUsable: true },
      ],
      nowMs: NOW_MS,
      isProved: false,
      maxNameLength: 60,
      done: catalogue.en.passkeys.added,
      problem: catalogue.en.passkeys.problems.lastWay,
    }),
    consent: renderConsentPage(
      { ...ENGLISH, path: "/oauth/authorize", person: { name: "Ada" } },
      {
        name: "Claude",
        scopes: ["files.read", "files.write"],
        target: { kind: "site", host: "claude.ai" },
        signed: "x=1&sig=2",
        path: "/oauth/authorize?client_id=x",
        account: "Ada",
        accountId: "usr_1",
      },
    ),
    device: renderDevicePage({ ...ENGLISH, path: "/device", person: { name: "Ada" } }, { code: "" }),
    deviceAgain: renderDevicePage(
      { ...ENGLISH, path: "/device", person: { name: "Ada" } },
      { code: HOSTILE, problem: catalogue.en.oauth.device.unknown },
    ),
    deviceQuestion: renderDeviceQuestion(
      { ...ENGLISH, path: "/device", person: { name: HOSTILE } },
      { name: HOSTILE, scopes: ["files.read", "files.write"], userCode: "7K2M-QXAB", account: HOSTILE, accountId: "usr_1" },
    ),
    deviceDone: renderDeviceDone({ ...ENGLISH, path: "/device", person: { name: "Ada" } }, { allowed: true }),
    deviceDenied: renderDeviceDone({ ...ENGLISH, path: "/device", person: { name: "Ada" } }, { allowed: false }),
    consentHostile: renderConsentPage(
      { ...ENGLISH, path: "/oauth/authorize", person: { name: HOSTILE } },
      {
        name: HOSTILE,
        scopes: ["files.read", "files.write", "account"],
        target: { kind: "site", host: `${"a".repeat(60)}.${"b".repeat(60)}.example.org` },
        signed: HOSTILE,
        path: "/oauth/authorize?client_id=x",
        account: HOSTILE,
        accountId: "usr_1",
      },
    ),
    wrongRequest: renderWrongRequestPage(
      { ...ENGLISH, path: "/oauth/authorize" },
      {
        error: "invalid_request",
        target: { kind: "site", host: `${"a".repeat(60)}.${"b".repeat(60)}.example.org` },
        url: "https://claude.ai/callback?error=invalid_request",
      },
    ),
    verify: renderVerifyPage(
      { ...ENGLISH, path: "/verify", person: { name: HOSTILE, unverifiedEmail: LONG_ADDRESS } },
      { email: LONG_ADDRESS, problem: catalogue.en.account.problems.tooMany(3) },
    ),
    verifyAgain: renderVerifyPage({ ...ENGLISH, path: "/verify" }, { email: "ada@example.org", done: catalogue.en.accountLinks.sentAgain }),
    verifyLink: renderVerificationLink({ ...ENGLISH, person: { name: HOSTILE, unverifiedEmail: LONG_ADDRESS } }, { path: "/verify/x" }),
    verifyLinkElsewhere: renderVerificationLink(
      { ...ENGLISH, person: { name: HOSTILE } },
      { path: "/verify/x", email: LONG_ADDRESS, problem: catalogue.en.accountLinks.wrongPassword },
    ),
    linkDone: renderLinkResult(ENGLISH, {
      isDone: true,
      title: catalogue.en.accountLinks.verified,
      text: catalogue.en.accountLinks.verifiedText,
      next: { path: "/", text: catalogue.en.accountLinks.goOn },
    }),
    linkEnded: renderLinkResult(ENGLISH, {
      isDone: false,
      title: catalogue.en.accountLinks.linkEnded,
      text: catalogue.en.accountLinks.resetEnded,
      next: { path: "/forgot", text: catalogue.en.accountLinks.newLink },
    }),
    forgot: renderForgottenPage(ENGLISH, { email: HOSTILE, problem: catalogue.en.account.problems.email, hasMail: true }),
    notices: renderNoticesPage(
      { ...ENGLISH, path: "/notices", person: { name: HOSTILE, unreadNotices: 100 } },
      {
        notices: [
          { id: "1", kind: "downloaded", title: HOSTILE, count: 1, at: null, updatedAt: SOME_TIME, isRead: false },
          {
            id: "2",
            kind: "arrived",
            title: "long".repeat(60),
            count: 12,
            at: null,
            senders: [HOSTILE, null, "Grace"],
            updatedAt: SOME_TIME,
            isRead: false,
          },
          { id: "4", kind: "arrived", title: "Plans", count: 2, at: null, senders: [null], updatedAt: SOME_TIME, isRead: true },
          { id: "5", kind: "downloaded", title: "IMG_2052.jpg", others: 12, count: 2, at: null, updatedAt: SOME_TIME, isRead: true },
          { id: "3", kind: "expiring", title: "Plans", count: 1, at: SOME_TIME, updatedAt: SOME_TIME, isRead: true },
        ],
        unread: 100,
        pageNumber: 2,
        pageCount: 3,
        nowMs: Date.parse("2026-11-22T14:05:00Z"),
      },
    ),
    noticesNone: renderNoticesPage(
      { ...ENGLISH, path: "/notices", person: { name: "Ada", unreadNotices: 0 } },
      { notices: [], unread: 0, pageNumber: 1, pageCount: 0, nowMs: 0 },
    ),
    settingsNotices: renderNoticeSettingsPage(asPerson("/settings/notices"), {
      settings: { downloaded: false, arrived: true, expiring: true, byMail: true },
      email: LONG_ADDRESS,
      done: catalogue.en.notices.saved,
    }),
    settingsNoticesNoMail: renderNoticeSettingsPage(asPerson("/settings/notices"), {
      settings: { downloaded: true, arrived: false, expiring: false, byMail: false },
      email: undefined,
    }),
    block: renderBlockingPage(ENGLISH, { address: "grace@example.org", path: "/block/x" }),
    blocked: renderBlockedPage(ENGLISH, { address: "grace@example.org", path: "/block/x", isBlocked: true }),
    unsubscribe: renderUnsubscribePage(ENGLISH, { path: "/unsubscribe/x" }),
    forgotNoMail: renderForgottenPage(ENGLISH, { hasMail: false }),
    forgotSent: renderLinkSentPage(ENGLISH, { email: LONG_ADDRESS }),
    newPassword: renderNewPasswordPage(ENGLISH, { path: "/reset/x", problem: catalogue.en.account.problems.password(10, 128) }),
    newPasswordTakeOver: renderNewPasswordPage(ENGLISH, { path: "/reset/x", isTakeOver: true }),
    signUp: renderSignUpPage(WITH_PROVIDER, { path: "/signup" }),
    signUpAgain: renderSignUpPage(ENGLISH, {
      path: "/invite/invite_x",
      invite: { role: "admin", email: null, token: "invite_x" },
      entered: { email: HOSTILE, name: HOSTILE },
      problem: { field: "password", text: catalogue.en.account.problems.password(10, 128) },
    }),
    signUpInvited: renderSignUpPage(ENGLISH, {
      path: "/invite/invite_x",
      invite: { role: "user", email: LONG_ADDRESS, token: "invite_x" },
    }),
    signUpClosed: renderSignUpPage(ENGLISH, { path: "/signup", closed: "inviteOnly" }),
    signInCode: renderCodePage(ENGLISH, { next: "/settings" }),
    signInCodeAgain: renderCodePage(ENGLISH, { problem: { kind: "app", text: catalogue.en.factors.wrongCode } }),
    signInRecoveryCode: renderCodePage(ENGLISH, { problem: { kind: "recovery", text: catalogue.en.factors.wrongRecoveryCode } }),
    twoStepSetUp: renderTwoStepPage(TWO_STEP, {
      kind: "setUp",
      secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
      url: "otpauth://totp/filehost:ada%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=filehost&algorithm=SHA1&digits=6&period=30",
      problem: catalogue.en.factors.wrongCode,
    }),
    twoStepOn: renderTwoStepPage(TWO_STEP, { kind: "on", since: "2026-11-20T11:00:00Z", recoveryCodesLeft: 7 }),
    twoStepCodes: renderTwoStepPage(TWO_STEP, {
      kind: "codes",
      recoveryCodes: Array.from({ length: 10 }, (_, index) => `7K2M-QXRW-4TF${index}`),
      isNew: true,
    }),
    settingsProfile: renderProfilePage(asPerson("/settings"), {
      name: "Ada Lovelace",
      showName: true,
      email: { email: "ada@example.org", canProve: true, pending: null },
      username: null,
      maxUsernameChanges: 3,
    }),
    settingsProfileAgain: renderProfilePage(asPerson("/settings", HOSTILE), {
      name: HOSTILE,
      showName: false,
      email: { email: LONG_ADDRESS, canProve: false, pending: { email: LONG_ADDRESS, expiresAt: "2026-11-21T12:00:00Z" } },
      username: "ada_lovelace-1815",
      maxUsernameChanges: 3,
      done: catalogue.en.profile.saved,
      problem: { field: "username", text: catalogue.en.profile.problems.taken, entered: HOSTILE },
    }),
    settingsEmail: renderEmailPage(asPerson("/settings/email"), { email: "ada@example.org", isMailed: true }),
    settingsEmailRefused: renderEmailPage(asPerson("/settings/email", HOSTILE), {
      email: LONG_ADDRESS,
      isMailed: false,
      problem: { text: catalogue.en.address.problems.taken, entered: HOSTILE },
    }),
    settingsEmailLink: renderEmailLink(asPerson("/settings/email/x"), { path: "/settings/email/x", email: LONG_ADDRESS }),
    settingsKeysNone: renderKeysPage(asPerson("/settings/keys"), { keys: [], nowMs: NOW_MS, isProved: false }),
    settingsKeys: renderKeysPage(asPerson("/settings/keys"), {
      keys: SOME_KEYS,
      nowMs: NOW_MS,
      isProved: true,
      problem: catalogue.en.keys.problems.tooMany,
    }),
    settingsKeysCreated: renderKeysPage(asPerson("/settings/keys"), {
      keys: SOME_KEYS,
      nowMs: NOW_MS,
      isProved: true,
      created: {
        key: `bc_3kT9xQ2m_${"aB3-".repeat(11)}`,
        label: "Build server",
        command: `curl -H "Authorization: Bearer bc_3kT9xQ2m_${"aB3-".repeat(11)}" -T photo.jpg https://files.example.org`,
        programs: {
          address: "https://files.example.org/",
          authorization: `Bearer bc_3kT9xQ2m_${"aB3-".repeat(11)}`,
          sharex: { fileName: "files.example.org.sxcu", content: '{"Version":"14.0.0"}\n' },
        },
      },
    }),
    settingsWebhooksNone: renderWebhooksPage(asPerson("/settings/webhooks"), {
      webhooks: [],
      entered: { url: "http://10.0.0.1/", description: HOSTILE, events: [] },
      problem: { field: "url", text: catalogue.en.webhooks.problems.url },
    }),
    settingsWebhooks: renderWebhooksPage(asPerson("/settings/webhooks"), { webhooks: SOME_WEBHOOKS }),
    settingsWebhook: renderWebhookPage(asPerson("/settings/webhooks/w1"), {
      webhook: SOME_WEBHOOKS[0],
      deliveries: SOME_DELIVERIES,
      olderPath: "/settings/webhooks/w1?before=x",
      nowMs: NOW_MS,
      done: catalogue.en.webhooks.testOk(200, "34 ms"),
      secret: `whsec_${"aB3-".repeat(11)}`,
    }),
    settingsWebhookPaused: renderWebhookPage(asPerson("/settings/webhooks/w2"), {
      webhook: SOME_WEBHOOKS[1],
      deliveries: [],
      nowMs: NOW_MS,
      failed: catalogue.en.webhooks.testFailed(HOSTILE),
    }),
    settingsUsage: renderUsagePage(asPerson("/settings/usage"), someUsage()),
    settingsUsageFull: renderUsagePage(asPerson("/settings/usage"), {
      ...someUsage(),
      tier: "pro",
      proUntil: "2030-01-01T00:00:00Z",
      isKept: true,
      storage: { ...someUsage().storage, usedBytes: 990 * 1024 ** 3, allowedBytes: 1024 ** 4, isPastIncluded: true, isShared: true },
    }),
    ...proPages(asPerson("/settings/usage"), someUsage(), HOSTILE),
    settingsClaim: renderClaimPage(asPerson("/settings/claim"), {
      entered: HOSTILE,
      problem: { field: "token", text: catalogue.en.usage.problems.token },
    }),
    settingsClaimed: renderClaimPage(asPerson("/settings/claim"), { claimedPath: "/d/7kXq9Zab" }),
    settingsDeleteAccount: renderDeleteAccountPage(asPerson("/settings/delete", HOSTILE), {
      email: `${"long".repeat(40)}@example.org`,
      files: 1234,
      usedBytes: 3_412_000_000,
      keys: 1,
      webhooks: 2,
      hasSubscription: true,
      buyers: 3,
      problem: catalogue.en.removal.problem,
    }),
    settingsRemoved: renderAccountDeletedPage(ENGLISH),
    settingsSecurityNoPassword: renderSecurityPage(asPerson("/settings/security"), { ...NO_PASSWORD, isProved: true }),
    settingsSecurityNoPasswordNorProof: renderSecurityPage(asPerson("/settings/security"), { ...NO_PASSWORD, isProved: false }),
    settingsSecurity: renderSecurityPage(
      { ...WITH_PROVIDER, path: "/settings/security", person: { name: HOSTILE } },
      {
        applications: [
          {
            id: "a1",
            name: "Claude",
            host: "claude.ai",
            scopes: ["files.read", "files.write"],
            connectedAt: SOME_TIME,
            lastUsedAt: SOME_TIME,
          },
          { id: "a2", name: "", host: null, scopes: ["files.read"], connectedAt: SOME_TIME, lastUsedAt: null },
          {
            id: "a3",
            name: HOSTILE,
            host: `${"a".repeat(60)}.${"b".repeat(60)}.example.org`,
            scopes: ["files.read", "files.write", "account"],
            connectedAt: SOME_TIME,
            lastUsedAt: SOME_TIME,
          },
        ],
        connections: [
          { id: "old", provider: "login.example.org", createdAt: "2026-10-20T11:00:00Z", isUsable: false },
          { id: "new", provider: PROVIDER, createdAt: "2026-11-19T11:00:00Z", isUsable: true },
        ],
        connectionProblem: catalogue.en.provider.lastWay,
        sessions: [
          { id: "one", userAgent: HOSTILE, ...SESSION_TIMES, isCurrent: false },
          {
            id: "two",
            userAgent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36",
            ...SESSION_TIMES,
            isCurrent: true,
          },
        ],
        hasTwoStep: true,
        hasPassword: true,
        isProved: false,
        passkeyCount: 2,
        done: catalogue.en.account.sessionEnded,
        passwordProblem: { field: "currentPassword", text: catalogue.en.account.problems.currentPassword },
      },
    ),
    ...filesPages(ENGLISH, HOSTILE),
    ...sharesPages(ENGLISH, HOSTILE),
    ...adminPages((path) => asPerson(path), HOSTILE),
    ...requestsPages(ENGLISH, HOSTILE),
    ...salePages({ page: ENGLISH, hostile: HOSTILE, files: mixedFiles(), toShare: (over) => shareProps({}, over) }),
    ...mcpPages(),
    leaving: renderLeavingPage(WITH_PROVIDER, { url: "https://login.example.org/auth?client_id=x", provider: PROVIDER }),
    ...Object.fromEntries(
      PROVIDER_PROBLEMS.map((problem) => [`provider-${problem}`, renderProviderProblem(WITH_PROVIDER, { problem, provider: PROVIDER })]),
    ),
    report: renderReportPage(ENGLISH, {
      shareUrl: "https://files.example.org/d/7kXq9Zab",
      path: "/report/7kXq9Zab",
      file: { name: "Harbour at dusk.jpg", sizeBytes: 3_412_000 },
    }),
    reportAgain: renderReportPage(ENGLISH, {
      shareUrl: "https://files.example.org/d/7kXq9Zab",
      path: "/report/7kXq9Zab",
      entered: { reason: "other", email: "ada" },
      problem: { field: "email" },
    }),
    ...Object.fromEntries(
      MESSAGE_KINDS.map((kind) => [
        `message-${kind}`,
        renderMessagePage(WITH_CONTACT, { kind, requestId: kind === "error" ? "01jd3c9f6x" : undefined }),
      ]),
    ),
  };
}
