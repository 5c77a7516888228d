import { loadConfig } from "../../src/config/load.ts";
import { RUN_TIME_NAMES } from "../../src/config/run-time.ts";
import type { FailedJobView } from "../../src/service/administration/jobs-contract.ts";
import { AUDIT_ACTIONS, type AuditEntryView } from "../../src/service/audit-log/contract.ts";
import { describeSettings } from "../../src/service/settings/describe-settings.ts";
import { renderAuditLogPage } from "../../web/admin/audit-log/audit-log-page.tsx";
import { renderBlocklistPage } from "../../web/admin/blocklist/blocklist-page.tsx";
import { renderAdminFilesPage } from "../../web/admin/files/files-page.tsx";
import { renderInvitesPage } from "../../web/admin/invites/invites-page.tsx";
import { type JobsPageProps, renderJobsPage } from "../../web/admin/jobs/jobs-page.tsx";
import { renderOverviewPage } from "../../web/admin/overview/overview-page.tsx";
import type { OverviewView } from "../../web/admin/overview/overview-view.ts";
import { type ReportDetailsView, renderAdminReportPage } from "../../web/admin/reports/report-page.tsx";
import { renderReportsPage } from "../../web/admin/reports/reports-page.tsx";
import { toPageSettings } from "../../web/admin/settings/site-setting-rows.ts";
import { renderSiteSettingsPage, type SiteSettingsPageProps } from "../../web/admin/settings/site-settings-page.tsx";
import { renderDeleteUserPage } from "../../web/admin/users/delete-user-page.tsx";
import type { UserView } from "../../web/admin/users/user-changes.tsx";
import { renderUserPage } from "../../web/admin/users/user-page.tsx";
import { renderUsersPage } from "../../web/admin/users/users-page.tsx";
import { assetPath } from "../../web/site/assets.ts";
import type { PageContext } from "../../web/site/page-context.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";
const TIME = "2026-11-20T12:00:00Z";
const NOW_MS = Date.parse(TIME) + 3_600_000;

const OVERVIEW: OverviewView = {
  health: {
    status: "degraded",
    version: "1.0.0",
    uptimeSeconds: 86_400,
    checks: {
      database: { ok: true },
      storage: { ok: false, reason: "The disk is nearly full.", unknownBlobs: 3, damagedFiles: 0 },
      scanner: { ok: true, mode: "clamd" },
      clock: { ok: true },
      jobs: { ok: true, waiting: 3, running: 1 },
    },
  },
  storage: {
    freeBytes: 48_000_000_000,
    usage: [
      { tier: "anonymous", usedBytes: 1_200_000, files: 31 },
      { tier: "free", usedBytes: 48_000_000_000, files: 12_345 },
      { tier: "pro", usedBytes: 0, files: 0 },
    ],
  },
  accounts: { people: 12, administrators: 2, agents: 31, disabled: 1 },
  signUp: "invite",
  blockedDigests: 12_345,
  jobs: [{ kind: "scan", waiting: 3, failing: 1, oldestAt: TIME }],
  failures: {
    openReports: 4,
    failedJobs: [
      { kind: "webhook", count: 1_200 },
      { kind: "mail", count: 2 },
    ],
    failedScans: 0,
    pausedWebhooks: 1,
  },
  warnings: ["no_tls", "no_scanner", "no_mail", "no_content_url", "unknown_client_address"],
  unknownClientAddress: "unknown",
  days: Array.from({ length: 30 }, (_, index) => ({
    day: new Date(Date.parse("2026-10-22") + index * 86_400_000).toISOString().slice(0, 10),
    usedBytes: index < 3 ? null : 40_000_000_000 + index * 270_000_000,
    uploads: (index * 7) % 23,
    downloads: index === 12 ? 12_345 : (index * 13) % 41,
    failures: index < 3 ? null : index % 9 === 0 ? 3 : 0,
  })),
};

/** The overview of a server on which nothing needs attention. */
export const CALM: OverviewView = {
  ...OVERVIEW,
  health: {
    ...OVERVIEW.health,
    checks: { ...OVERVIEW.health.checks, storage: { ok: true, unknownBlobs: 0, damagedFiles: 0 } },
  },
  failures: { openReports: 0, failedJobs: [], failedScans: 0, pausedWebhooks: 0 },
  jobs: [],
  warnings: ["no_mail"],
  unknownClientAddress: null,
  days: OVERVIEW.days.map(({ day }) => ({ day, usedBytes: null, uploads: 0, downloads: 0, failures: null })),
};

/** A delivery that failed. */
export const FAILED_JOB: FailedJobView = {
  id: ID,
  kind: "webhook",
  subject: ID,
  name: "hooks.example.org",
  encrypted: false,
  about: "file.ready",
  owner: { id: ID, email: "ada@example.org", emailVerified: false },
  attempts: 8,
  error: "The endpoint responded with status 500.",
  createdAt: TIME,
  failedAt: TIME,
  nextAttemptAt: null,
  isRunning: false,
  canRetry: true,
  canDrop: true,
};

const failedJobs = (name: string): Pick<JobsPageProps, "jobs" | "counts"> => {
  return {
    jobs: [
      FAILED_JOB,
      { ...FAILED_JOB, kind: "mail", name: "eve@example.org", about: "invite", owner: null, error: `550 5.1.1 ${name}`, canRetry: false },
      {
        ...FAILED_JOB,
        kind: "scan",
        name,
        about: null,
        owner: { id: ID, email: null, emailVerified: false },
        nextAttemptAt: "2026-11-20T13:05:00Z",
        canDrop: false,
      },
      { ...FAILED_JOB, kind: "password-reset", subject: null, name: null, about: null, owner: null, isRunning: true, canRetry: false },
    ],
    counts: [
      { kind: "webhook", count: 1_200 },
      { kind: "mail", count: 1 },
      { kind: "password-reset", count: 1 },
      { kind: "scan", count: 1 },
    ],
  };
};

const userOf = (name: string): UserView => ({
  id: ID,
  email: "ada@example.org",
  emailVerified: false,
  name,
  username: "ada",
  role: "admin",
  tier: "pro",
  proUntil: TIME,
  disabledAt: TIME,
  createdAt: TIME,
  version: 1,
  storage: { usedBytes: 48_213, allowedBytes: 10_737_418_240, files: 12 },
  hasTwoFactor: true,
  shares: 9,
  webhooks: 1,
  sessions: [
    { id: ID, userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", createdAt: TIME, lastUsedAt: TIME },
  ],
  keys: [{ id: ID, prefix: "bc_3kT9xQ2m", label: name, scope: "full", isAdminKey: true, createdAt: TIME, lastUsedAt: TIME }],
});

export function reportOf(text: string): ReportDetailsView {
  const report = {
    id: ID,
    shortId: "aB3dE5fG7h",
    shareStatus: "active",
    name: text,
    encrypted: false,
    fileCount: 60,
    sizeBytes: 48_213,
    sha256: "a".repeat(64),
    reason: "phishing",
    details: `${text}\nPay here.`,
    email: "eve@example.org",
    createdAt: TIME,
    openReports: 2,
    resolvedAt: null,
    resolution: null,
    outcome: null,
    resolvedBy: null,
  } as const;
  const file = {
    id: "5hQ2vR8kLm3xTz0B",
    shortId: report.shortId,
    name: text,
    sizeBytes: 48_213,
    contentType: "application/pdf",
    sha256: "a".repeat(64),
    status: "active",
    isUsedUp: false,
    isUploading: false,
    scanStatus: "clean",
    failureReason: null,
    scanDetail: null,
    isBlocklisted: false,
    encrypted: false,
    owner: null,
    downloads: 12_345,
    createdAt: TIME,
    expiresAt: null,
    isOpen: true,
    otherPlaces: [] as { id: string; shortId: string; name: string }[],
    otherPlaceCount: 0,
    hasBytes: true,
  } as const;
  return {
    ...report,
    owner: { id: ID, email: "ada@example.org", emailVerified: false },
    isProtected: false,
    files: [
      { file, thumbnail: null },
      { file: { ...file, id: "2", status: "dmca_removed", isOpen: false }, thumbnail: null },
      {
        file: { ...file, id: "3", scanStatus: "unavailable", failureReason: "infected", scanDetail: text, isOpen: false },
        thumbnail: null,
      },
    ],
    otherPlaces: [{ id: "4", shortId: "bB3dE5fG7h", name: text }],
    otherPlaceCount: 21,
    others: [{ ...report, id: "other" }],
  };
}

const EVERYTHING = { text: "", isChangedOnly: false } as const;

/** The settings, with all groups open. */
function siteSettings(env: Readonly<Record<string, string>>, name: string): SiteSettingsPageProps {
  const row = { name: "name", value: name, revision: 3, changed_at: Date.parse(TIME) } as const;
  const stored = new Map([["name", name]] as const);
  return { ...toPageSettings(describeSettings(loadConfig(env), [row], stored)), search: EVERYTHING, sent: RUN_TIME_NAMES };
}

const LOGO = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";

const withLogo = (page: PageContext, name: string): PageContext => ({
  ...page,
  site: { ...page.site, name, logoPath: assetPath("icon") },
});

/** The settings with a logo, set here or by the environment. */
function logoSettings(fixedBy: string | null): SiteSettingsPageProps {
  const row = { name: "logo", value: LOGO, revision: 3, changed_at: Date.parse(TIME) } as const;
  const view = describeSettings(loadConfig({}), [row], new Map([["logo", LOGO]]));
  const settings = view.settings.map((setting) => (setting.name === "logo" ? { ...setting, fixedBy } : setting));
  return { ...toPageSettings({ ...view, settings }), search: EVERYTHING, sent: ["logo"] };
}

/** The states of the administration's pages. */
export function adminPages(at: (path: string) => PageContext, hostile: string): Readonly<Record<string, string>> {
  const user = userOf(hostile);
  const report = reportOf(hostile);
  const resolved = { ...report, resolvedAt: TIME, resolution: hostile, outcome: "taken_down", resolvedBy: "command_line" } as const;
  const list = { filter: "people", search: "", nextCursor: ID, isLaterPage: true } as const;
  const link = { url: "https://files.example.org/reset/reset_8wVnabcdefghijklmnop", expiresAt: TIME };
  return {
    adminOverview: renderOverviewPage(at("/admin"), {
      overview: OVERVIEW,
      results: [
        { status: "ok", what: "database", subject: "database", detail: "responds" },
        { status: "warn", what: "reports", subject: "reports", detail: "3 open", fix: "Read them: filehost reports list" },
        {
          status: "fail",
          what: "scanner",
          subject: "scanner",
          detail: "no clamd at /run/clamav/clamd.ctl",
          fix: "Start it.\nThen run this again.",
        },
      ],
    }),
    adminOverviewQuiet: renderOverviewPage(at("/admin"), { overview: CALM }),
    adminUsers: renderUsersPage(at("/admin/users"), { ...list, users: [{ ...user, usedBytes: 48_213 }] }),
    adminUsersNone: renderUsersPage(at("/admin/users"), {
      ...list,
      users: [],
      done: "The account is deleted.",
      problem: {
        text: "Enter a date such as 2030-01-31.",
        field: "until",
        entered: { email: hostile, name: hostile, username: "ada", until: hostile, tier: "pro", isAdmin: true },
      },
    }),
    adminUser: renderUserPage(at(`/admin/users/${ID}`), { user, nowMs: NOW_MS, resetLink: link, done: "Saved." }),
    adminUserEmpty: renderUserPage(at(`/admin/users/${ID}`), {
      nowMs: NOW_MS,
      user: { ...userOf("Bo"), emailVerified: true, role: "user", disabledAt: null, hasTwoFactor: false, sessions: [], keys: [] },
      problem: "Somebody changed this account meanwhile. Check it, then try again.",
    }),
    adminUserRefused: renderUserPage(at(`/admin/users/${ID}`), {
      nowMs: NOW_MS,
      user,
      problem: { field: "username", text: "Another account has this username.", entered: hostile },
    }),
    adminDeleteUser: renderDeleteUserPage(at(`/admin/users/${ID}/delete`), { user, hasSubscription: true }),
    adminDeleteUserRefused: renderDeleteUserPage(at(`/admin/users/${ID}/delete`), {
      hasSubscription: false,
      user: { ...userOf(hostile), disabledAt: null, storage: { usedBytes: 0, allowedBytes: 10_737_418_240, files: 0 } },
      problem: "This is not the account’s email address.",
    }),
    adminSettings: renderSiteSettingsPage(at("/admin/settings"), { ...siteSettings({}, hostile.slice(0, 40)), done: "Saved." }),
    adminSettingsChanged: renderSiteSettingsPage(at("/admin/settings"), {
      ...siteSettings({ FILEHOST_RATE_LIMITS: "off", FILEHOST_SIGNUP: "closed" }, "Files"),
      search: { text: "", isChangedOnly: true },
    }),
    adminSettingsNotFound: renderSiteSettingsPage(at("/admin/settings"), {
      ...siteSettings({}, "Files"),
      search: { text: hostile, isChangedOnly: false },
    }),
    adminSettingsFolded: renderSiteSettingsPage(at("/admin/settings"), { ...siteSettings({}, "Files"), sent: [] }),
    adminSettingsLogo: renderSiteSettingsPage(withLogo(at("/admin/settings"), hostile), {
      ...logoSettings(null),
      problems: new Map([["logo", "tooLarge"]]),
    }),
    adminSettingsLogoFixed: renderSiteSettingsPage(withLogo(at("/admin/settings"), "Files"), logoSettings("FILEHOST_LOGO")),
    adminSettingsRefused: renderSiteSettingsPage(at("/admin/settings"), {
      ...siteSettings(
        {
          FILEHOST_SIGNUP: "closed",
          FILEHOST_RATE_LIMITS: "off",
          FILEHOST_LIMITS: '{"rates":{"signIns":1234}}',
          FILEHOST_ACCENT: "#ffee00",
          FILEHOST_TERMS_URL: "https://example.org/terms",
        },
        "Files",
      ),
      entered: new Map([
        ["privacy_url", hostile],
        ["tiers.free.fileBytes", "many"],
        ["rates.signUps", "7"],
      ]),
      problems: new Map([
        ["privacy_url", "invalid"],
        ["tiers.free.fileBytes", "invalid"],
        ["rates.signUps", "changed"],
      ]),
      problem: "Somebody changed this meanwhile.",
    }),
    adminInvites: renderInvitesPage(at("/admin/invites"), {
      invites: [{ id: ID, role: "admin", email: null, isMailed: false, createdAt: TIME, expiresAt: TIME }],
      hasMail: true,
      created: { id: ID, role: "user", email: "eve@example.org", isMailed: true, createdAt: TIME, ...link },
    }),
    adminInvitesNone: renderInvitesPage(at("/admin/invites"), { invites: [], hasMail: false }),
    adminReports: renderReportsPage(
      { ...at("/admin/reports"), adminCounts: { openReports: 100, failedJobs: 3 } },
      { reports: [report, resolved], state: "all", nextCursor: ID, isLaterPage: true, nowMs: NOW_MS },
    ),
    adminReportsNone: renderReportsPage(at("/admin/reports"), {
      reports: [],
      state: "open",
      nextCursor: null,
      isLaterPage: false,
      nowMs: NOW_MS,
    }),
    adminReport: renderAdminReportPage(at(`/admin/reports/${ID}`), { report, nowMs: NOW_MS }),
    adminReportTakenDown: renderAdminReportPage(at(`/admin/reports/${ID}`), {
      report: { ...resolved, shareStatus: "dmca_removed", isProtected: true, others: [] },
      nowMs: NOW_MS,
      done: "Taken down.",
    }),
    adminReportGone: renderAdminReportPage(at(`/admin/reports/${ID}`), {
      report: { ...report, shareStatus: null, files: [], owner: null, email: null, details: null },
      nowMs: NOW_MS,
      problem: "Another administrator resolved this report meanwhile.",
    }),
    adminJobs: renderJobsPage(
      { ...at("/admin/jobs"), adminCounts: { openReports: 0, failedJobs: 1_203 } },
      { ...failedJobs(hostile), kind: "webhook", nextCursor: `1_${ID}`, isLaterPage: true, nowMs: NOW_MS, done: "Dropped." },
    ),
    adminJobsNone: renderJobsPage(at("/admin/jobs"), {
      jobs: [],
      counts: [],
      kind: undefined,
      nextCursor: null,
      isLaterPage: false,
      nowMs: NOW_MS,
      problem: "It succeeded, or somebody retried or dropped it meanwhile.",
    }),
    adminFiles: renderAdminFilesPage(at("/admin/files"), {
      files: report.files.map(({ file }) => file),
      thumbnails: new Map(),
      search: { q: hostile, owner: hostile, state: "blocked", sort: "size-desc" },
      nextCursor: ID,
      isLaterPage: true,
      nowMs: NOW_MS,
      canScan: true,
      done: "Restored.",
    }),
    adminFilesNone: renderAdminFilesPage(at("/admin/files"), {
      files: [],
      thumbnails: new Map(),
      search: { q: "", owner: "", state: "", sort: "created-desc" },
      nextCursor: null,
      isLaterPage: false,
      nowMs: NOW_MS,
      canScan: false,
      problem: "This changed meanwhile.",
    }),
    adminBlocklist: renderBlocklistPage(at("/admin/blocklist"), {
      blocks: [
        { sha256: "a".repeat(64), reason: hostile, addedBy: "command_line", createdAt: TIME },
        { sha256: "b".repeat(64), reason: null, addedBy: "ada@example.org", createdAt: TIME },
      ],
      search: hostile,
      nextCursor: ID,
      isLaterPage: true,
      nowMs: NOW_MS,
      done: "Removed from the blocklist.",
    }),
    adminBlocklistRefused: renderBlocklistPage(at("/admin/blocklist"), {
      blocks: [],
      search: "",
      nextCursor: null,
      isLaterPage: false,
      nowMs: NOW_MS,
      refused: { text: "“x” is not a SHA-256.", entered: { digests: hostile, reason: hostile } },
    }),
    adminBlocklistNone: renderBlocklistPage(at("/admin/blocklist"), {
      blocks: [],
      search: "court",
      nextCursor: null,
      isLaterPage: false,
      nowMs: NOW_MS,
      problem: "Somebody removed this digest meanwhile.",
    }),
    ...auditLogPages(at, hostile),
  };
}

function auditLogPages(at: (path: string) => PageContext, hostile: string): Readonly<Record<string, string>> {
  const ada = { id: ID, email: "ada@example.org", emailVerified: false };
  const entry: AuditEntryView = {
    id: "1",
    at: TIME,
    action: "share.changed",
    origin: "key",
    actor: ada,
    keyPrefix: "bc_3kT9xQ2m",
    application: null,
    subjectId: "aB3dE5fG7h",
    account: { id: "other", email: null, emailVerified: false },
    details: { expiresAt: TIME, title: true },
    address: "192.0.2.7",
  };
  const everyAction = AUDIT_ACTIONS.map((action, index) => ({ ...entry, id: String(100 + index), action, details: { name: hostile } }));
  const names = {
    accounts: new Map([[ID, hostile]]),
    subjects: new Map([["share:aB3dE5fG7h", hostile]]),
  };
  const path = "/admin/audit-log";
  return {
    adminAuditLog: renderAuditLogPage(at(path), {
      entries: [
        entry,
        { ...entry, id: "2", origin: "application", application: { id: "other", name: hostile }, keyPrefix: null, account: ada },
        { ...entry, id: "3", action: "invite.created", origin: "system", actor: null, keyPrefix: null, account: null, details: {} },
        { ...entry, id: "4", action: "setting.changed", subjectId: "tiers.free.fileBytes", details: { from: null, to: "2GB" } },
        { ...entry, id: "5", action: "motto.changed", address: null },
        ...everyAction,
      ],
      names,
      actors: [{ id: ID, name: hostile }],
      search: { actor: "ada@example.org", action: "key.created", since: "2030-01-01", until: "2030-01-31", time: "7d", subject: ID },
      nextCursor: "1",
      isLaterPage: false,
    }),
    adminAuditLogNone: renderAuditLogPage(at(path), {
      entries: [],
      names: { accounts: new Map(), subjects: new Map() },
      actors: [],
      search: {},
      nextCursor: null,
      isLaterPage: true,
    }),
  };
}
