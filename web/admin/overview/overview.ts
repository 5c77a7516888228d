import type { RequestContext } from "../../../src/context.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { renderOverviewPage } from "./overview-page.tsx";
import type { CheckResultView } from "./overview-view.ts";

export const showOverviewPage = (c: HttpContext, call: RequestContext): Promise<Response> => respondOverview(c, call);

/** Handles `POST /admin`: checks the installation. */
export async function postInstallationCheck(c: HttpContext, call: RequestContext): Promise<Response> {
  const { results } = await operations.checkInstallation(c.env.ctx, call, {});
  return await respondOverview(c, call, results);
}

async function respondOverview(c: HttpContext, call: RequestContext, results?: readonly CheckResultView[]): Promise<Response> {
  const overview = await operations.getOverview(c.env.ctx, call, {});
  return await respondPage(c, { html: renderOverviewPage(pageContext(c), { overview, results }) });
}
