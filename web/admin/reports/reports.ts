import type { RequestContext } from "../../../src/context.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { REPORT_STATES, renderReportsPage } from "./reports-page.tsx";

export async function showReportsPage(c: HttpContext, call: RequestContext): Promise<Response> {
  const { ctx } = c.env;
  const state = REPORT_STATES.find((name) => name === c.req.query("state")) ?? "open";
  const cursor = c.req.query("cursor")?.slice(0, 64) || undefined;
  const { data, nextCursor } = await operations.listReports(ctx, call, { state, byShare: true, cursor });
  const list = { reports: data, state, nextCursor, isLaterPage: cursor !== undefined, nowMs: ctx.now() };
  return await respondPage(c, { html: renderReportsPage(pageContext(c), list) });
}
