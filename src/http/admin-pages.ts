import { renderAuditLogPage } from "../../web/admin/audit-log-page.tsx";
import { type CheckResultView, renderOverviewPage } from "../../web/admin/overview-page.tsx";
import { ADMIN_PATH, AUDIT_LOG_PATH, INVITES_PATH, USERS_PATH } from "../../web/admin/paths.ts";
import type { RequestContext } from "../context.ts";
import { requireAdministrator } from "../service/accounts/administrator.ts";
import { operations } from "../service/operations.ts";
import { sendInvite, showInvites } from "./admin-invites-page.ts";
import { sendNewUser, sendUser, showUser, showUsers } from "./admin-users-pages.ts";
import type { HttpContext, Route } from "./env.ts";
import { pageContext } from "./page-context.ts";
import { respondPage } from "./respond-page.ts";
import { withPerson } from "./signed-in-page.ts";

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
  route("GET", INVITES_PATH, showInvites),
  route("POST", INVITES_PATH, sendInvite),
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
        requireAdministrator(c.env.ctx, call);
        return await handle(c, call);
      }),
  };
}

async function respondOverview(c: HttpContext, call: RequestContext, results?: readonly CheckResultView[]): Promise<Response> {
  const overview = await operations.getOverview(c.env.ctx, call, {});
  return await respondPage(c, { html: renderOverviewPage(pageContext(c), { overview, results }) });
}

async function showAuditLog(c: HttpContext, call: RequestContext): Promise<Response> {
  const [actor, action, subject] = ["actor", "action", "subject"].map((name) => c.req.query(name)?.trim().slice(0, 254) || undefined);
  const sent = c.req.query("cursor");
  const cursor = sent !== undefined && /^\d{1,15}$/.test(sent) ? sent : undefined;
  const { data, nextCursor } = await operations.listAuditLog(c.env.ctx, call, { actor, action, subject, cursor });
  const html = renderAuditLogPage(pageContext(c), {
    entries: data,
    search: { actor, action, subject },
    nextCursor,
    isLaterPage: cursor !== undefined,
  });
  return await respondPage(c, { html });
}
