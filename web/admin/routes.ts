import { type CheckResultView, renderOverviewPage } from "./overview-page.tsx";
import {
  ADMIN_FILES_PATH,
  ADMIN_PATH,
  AUDIT_LOG_PATH,
  BLOCKLIST_PATH,
  INVITES_PATH,
  JOBS_PATH,
  REPORTS_PATH,
  SITE_SETTINGS_PATH,
  USERS_PATH,
} from "./paths.ts";
import type { RequestContext } from "../../src/context.ts";
import { asAdministrator } from "../../src/service/accounts/administrator.ts";
import { operations } from "../../src/service/operations.ts";
import { showAuditLog } from "./audit-log.ts";
import { changeBlocklist, showBlocklist } from "./blocklist.ts";
import { loadAdminCounts } from "./counts.ts";
import { decideFile, showAdminFiles } from "./files.ts";
import { sendInvite, showInvites } from "./invites.ts";
import { decideJob, showJobs } from "./jobs.ts";
import { decideReport, showReport, showReports } from "./reports.ts";
import { sendSiteSettings, showSiteSettings } from "./site-settings.ts";
import { sendUser, sendUserRemoval, showUser, showUserRemoval } from "./user.ts";
import { sendNewUser, showUsers } from "./users.ts";
import type { HttpContext, Route } from "../../src/http/env.ts";
import { pageContext } from "../../src/http/page-context.ts";
import { respondPage } from "../../src/http/respond-page.ts";
import { withPerson } from "../../src/http/signed-in-page.ts";

type Handler = (c: HttpContext, call: RequestContext) => Promise<Response>;

/** The pages of administrators (administration, "Pages"). */
export const adminRoutes: readonly Route[] = [
  route("GET", ADMIN_PATH, (c, call) => respondOverview(c, call)),
  route("POST", ADMIN_PATH, async (c, call) => {
    const { results } = await operations.checkInstallation(c.env.ctx, call, {});
    return await respondOverview(c, call, results);
  }),
  route("GET", USERS_PATH, showUsers),
  route("POST", USERS_PATH, sendNewUser),
  route("GET", `${USERS_PATH}/:id`, showUser),
  route("POST", `${USERS_PATH}/:id`, sendUser),
  route("GET", `${USERS_PATH}/:id/delete`, showUserRemoval),
  route("POST", `${USERS_PATH}/:id/delete`, sendUserRemoval),
  route("GET", INVITES_PATH, showInvites),
  route("POST", INVITES_PATH, sendInvite),
  route("GET", SITE_SETTINGS_PATH, showSiteSettings),
  route("POST", SITE_SETTINGS_PATH, sendSiteSettings),
  route("GET", REPORTS_PATH, showReports),
  route("GET", `${REPORTS_PATH}/:id`, showReport),
  route("POST", `${REPORTS_PATH}/:id`, decideReport),
  route("GET", ADMIN_FILES_PATH, showAdminFiles),
  route("POST", ADMIN_FILES_PATH, decideFile),
  route("GET", JOBS_PATH, showJobs),
  route("POST", JOBS_PATH, decideJob),
  route("GET", BLOCKLIST_PATH, showBlocklist),
  route("POST", BLOCKLIST_PATH, changeBlocklist),
  route("GET", AUDIT_LOG_PATH, showAuditLog),
];

/** A page that only administrators get, as the operations that it calls (administration, "Access"). */
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

async function respondOverview(c: HttpContext, call: RequestContext, results?: readonly CheckResultView[]): Promise<Response> {
  const overview = await operations.getOverview(c.env.ctx, call, {});
  return await respondPage(c, { html: renderOverviewPage(pageContext(c), { overview, results }) });
}
