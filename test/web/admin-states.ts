import { renderAuditLogPage } from "../../web/admin/audit-log-page.tsx";
import { renderInvitesPage } from "../../web/admin/invites-page.tsx";
import { type OverviewView, renderOverviewPage } from "../../web/admin/overview-page.tsx";
import { renderUserPage, type UserView } from "../../web/admin/user-page.tsx";
import { renderUsersPage } from "../../web/admin/users-page.tsx";
import type { PageContext } from "../../web/page-context.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";
const TIME = "2026-11-20T12:00:00Z";

const OVERVIEW: OverviewView = {
  health: {
    version: "1.0.0",
    uptimeSeconds: 86_400,
    checks: {
      database: { ok: true },
      storage: { ok: false, reason: "The disk is nearly full." },
      scanner: { ok: true },
      jobs: { ok: true },
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
  jobs: [{ kind: "scan", waiting: 3, failing: 1, oldestAt: TIME }],
  failures: { webhookDeliveries: 2, pausedWebhooks: 1, failedScans: 0, openReports: 4 },
  warnings: ["no_tls", "no_mail"],
};

const userOf = (name: string): UserView => ({
  id: ID,
  email: "ada@example.org",
  name,
  username: "ada",
  role: "admin",
  tier: "pro",
  proUntil: TIME,
  disabledAt: TIME,
  createdAt: TIME,
  version: 1,
  storage: { usedBytes: 48_213, allowedBytes: 10_737_418_240, files: 12 },
  shares: 9,
  webhooks: 1,
  sessions: [{ id: ID, userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", lastUsedAt: TIME }],
  keys: [{ id: ID, prefix: "bc_3kT9xQ2m", label: name, scope: "full", isAdminKey: true, lastUsedAt: TIME }],
});

/** The states of the administration's pages. */
export function adminPages(at: (path: string) => PageContext, hostile: string): Readonly<Record<string, string>> {
  const user = userOf(hostile);
  const list = { filter: "people", search: "", nextCursor: ID, isLaterPage: true } as const;
  const link = { url: "https://files.example.org/reset/reset_8wVnabcdefghijklmnop", expiresAt: TIME };
  return {
    adminOverview: renderOverviewPage(at("/admin"), {
      overview: OVERVIEW,
      results: [
        { status: "ok", what: "database", detail: "responds" },
        { status: "fail", what: "scanner", detail: "no clamd at /run/clamav/clamd.ctl", fix: "Start it.\nThen run this again." },
      ],
    }),
    adminOverviewQuiet: renderOverviewPage(at("/admin"), { overview: { ...OVERVIEW, jobs: [], warnings: [] } }),
    adminUsers: renderUsersPage(at("/admin/users"), { ...list, users: [{ ...user, usedBytes: 48_213 }] }),
    adminUsersNone: renderUsersPage(at("/admin/users"), {
      ...list,
      users: [],
      problem: { text: "Enter an email address and a name.", email: hostile, name: hostile },
    }),
    adminUser: renderUserPage(at(`/admin/users/${ID}`), { user, resetLink: link, done: "Saved." }),
    adminUserEmpty: renderUserPage(at(`/admin/users/${ID}`), {
      user: { ...userOf("Bo"), role: "user", disabledAt: null, sessions: [], keys: [] },
      problem: "Somebody changed this account meanwhile. Check it, then try again.",
    }),
    adminInvites: renderInvitesPage(at("/admin/invites"), {
      invites: [{ id: ID, role: "admin", email: null, isMailed: false, expiresAt: TIME }],
      hasMail: true,
      created: { id: ID, role: "user", email: "eve@example.org", isMailed: true, ...link },
    }),
    adminInvitesNone: renderInvitesPage(at("/admin/invites"), { invites: [], hasMail: false }),
    adminAuditLog: renderAuditLogPage(at("/admin/audit-log"), {
      entries: [
        {
          id: "2",
          at: TIME,
          action: "key.created",
          origin: "key",
          actor: { id: ID, email: "ada@example.org" },
          keyPrefix: "bc_3kT9xQ2m",
          subjectId: ID,
          account: { id: "other", email: null },
          details: { scope: "full", label: hostile },
          address: "192.0.2.7",
        },
        {
          id: "1",
          at: TIME,
          action: "invite.created",
          origin: "system",
          actor: null,
          keyPrefix: null,
          subjectId: "set-up",
          account: null,
          details: {},
          address: null,
        },
      ],
      search: { action: "key" },
      nextCursor: "1",
      isLaterPage: false,
    }),
    adminAuditLogNone: renderAuditLogPage(at("/admin/audit-log"), { entries: [], search: {}, nextCursor: null, isLaterPage: true }),
  };
}
