import type { RequestContext } from "../../src/context.ts";
import type { HttpContext, Route } from "../../src/http/routing/env.ts";
import { asAdministrator } from "../../src/service/accounts/administrator.ts";
import { withPerson } from "../account/with-person.ts";
import { showAuditLogPage } from "./audit-log/audit-log.ts";
import { postBlocklist, showBlocklistPage } from "./blocklist/blocklist.ts";
import { loadAdminCounts } from "./counts.ts";
import { postFileDecision, showAdminFilesPage } from "./files/files.ts";
import { postInvite, showInvitesPage } from "./invites/invites.ts";
import { postJobDecision, showJobsPage } from "./jobs/jobs.ts";
import { postInstallationCheck, showOverviewPage } from "./overview/overview.ts";
import { postReportDecision, showReportPage } from "./reports/report.ts";
import { showReportsPage } from "./reports/reports.ts";
import { postSiteSettings, showSiteSettingsPage } from "./settings/site-settings.ts";
import { postDeleteUser, showDeleteUserPage } from "./users/delete-user.ts";
import { postUser, showUserPage } from "./users/user.ts";
import { postNewUser, showUsersPage } from "./users/users.ts";

type Handler = (c: HttpContext, call: RequestContext) => Promise<Response>;

/** The pages of administrators (administration, "Pages"). */
export const adminRoutes: readonly Route[] = [
  route("GET", "/admin", showOverviewPage),
  route("POST", "/admin", postInstallationCheck),
  route("GET", "/admin/users", showUsersPage),
  route("POST", "/admin/users", postNewUser),
  route("GET", "/admin/users/:id", showUserPage),
  route("POST", "/admin/users/:id", postUser),
  route("GET", "/admin/users/:id/delete", showDeleteUserPage),
  route("POST", "/admin/users/:id/delete", postDeleteUser),
  route("GET", "/admin/invites", showInvitesPage),
  route("POST", "/admin/invites", postInvite),
  route("GET", "/admin/settings", showSiteSettingsPage),
  route("POST", "/admin/settings", postSiteSettings),
  route("GET", "/admin/reports", showReportsPage),
  route("GET", "/admin/reports/:id", showReportPage),
  route("POST", "/admin/reports/:id", postReportDecision),
  route("GET", "/admin/files", showAdminFilesPage),
  route("POST", "/admin/files", postFileDecision),
  route("GET", "/admin/jobs", showJobsPage),
  route("POST", "/admin/jobs", postJobDecision),
  route("GET", "/admin/blocklist", showBlocklistPage),
  route("POST", "/admin/blocklist", postBlocklist),
  route("GET", "/admin/audit-log", showAuditLogPage),
];

/** Makes the route of a page for administrators only, as for the operations that it calls (administration, "Access"). */
function route(method: "GET" | "POST", path: string, handle: Handler): Route {
  return {
    method,
    path,
    rate: "caller",
    handle: (c) =>
      withPerson(c, async (call) => {
        c.env.ctx = asAdministrator(c.env.ctx, call);
        await loadAdminCounts(c);
        return await handle(c, call);
      }),
  };
}
