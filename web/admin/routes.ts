import type { RequestContext } from "../../src/context.ts";
import type { HttpContext, Route } from "../../src/http/routing/env.ts";
import { asAdministrator } from "../../src/service/accounts/administrator.ts";
import { withPerson } from "../account/with-person.ts";
import { showAuditLog } from "./audit-log/audit-log.ts";
import { changeBlocklist, showBlocklist } from "./blocklist/blocklist.ts";
import { loadAdminCounts } from "./counts.ts";
import { decideFile, showAdminFiles } from "./files/files.ts";
import { postInvite, showInvites } from "./invites/invites.ts";
import { decideJob, showJobs } from "./jobs/jobs.ts";
import { checkInstallation, showOverview } from "./overview/overview.ts";
import { decideReport, showReport } from "./reports/report.ts";
import { showReports } from "./reports/reports.ts";
import { postSiteSettings, showSiteSettings } from "./settings/site-settings.ts";
import { postDeleteUser, showDeleteUser } from "./users/delete-user.ts";
import { postUser, showUser } from "./users/user.ts";
import { postNewUser, showUsers } from "./users/users.ts";

type Handler = (c: HttpContext, call: RequestContext) => Promise<Response>;

/** The pages of administrators (administration, "Pages"). */
export const adminRoutes: readonly Route[] = [
  route("GET", "/admin", showOverview),
  route("POST", "/admin", checkInstallation),
  route("GET", "/admin/users", showUsers),
  route("POST", "/admin/users", postNewUser),
  route("GET", "/admin/users/:id", showUser),
  route("POST", "/admin/users/:id", postUser),
  route("GET", "/admin/users/:id/delete", showDeleteUser),
  route("POST", "/admin/users/:id/delete", postDeleteUser),
  route("GET", "/admin/invites", showInvites),
  route("POST", "/admin/invites", postInvite),
  route("GET", "/admin/settings", showSiteSettings),
  route("POST", "/admin/settings", postSiteSettings),
  route("GET", "/admin/reports", showReports),
  route("GET", "/admin/reports/:id", showReport),
  route("POST", "/admin/reports/:id", decideReport),
  route("GET", "/admin/files", showAdminFiles),
  route("POST", "/admin/files", decideFile),
  route("GET", "/admin/jobs", showJobs),
  route("POST", "/admin/jobs", decideJob),
  route("GET", "/admin/blocklist", showBlocklist),
  route("POST", "/admin/blocklist", changeBlocklist),
  route("GET", "/admin/audit-log", showAuditLog),
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
