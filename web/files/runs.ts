import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { listingContract } from "../../src/service/files/listing-contract.ts";
import { operations } from "../../src/service/operations.ts";
import { parseInput } from "../../src/service/parse-input.ts";
import { withPerson } from "../account/with-person.ts";
import { PAGE_SIZE } from "./file-views.ts";
import { toFileView } from "./files.ts";
import { renderRunPage, renderRunsPage } from "./run-page.tsx";

/** Handles `GET /files/runs`: shows the runs of the signed-in account. */
export const showRunsPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const input = { page: pageNumberOf(c), limit: PAGE_SIZE };
    const { data, pagination } = await operations.listRuns(c.env.ctx, call, input);
    const html = renderRunsPage(pageContext(c), { runs: data, total: pagination.total, pageNumber: input.page, nowMs: c.env.ctx.now() });
    return await respondPage(c, { html });
  });

/** Handles `GET /files/runs/:runId`: shows the files of a run. */
export const showRunPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const page = pageNumberOf(c);
    const input = parseInput(listingContract.listRun.input, { runId: c.req.param("runId"), page, limit: PAGE_SIZE });
    const { runId, total, artifacts } = await operations.listRun(ctx, call, input);
    const html = renderRunPage(pageContext(c), { runId, files: artifacts.map(toFileView), total, pageNumber: page, nowMs: ctx.now() });
    return await respondPage(c, { html, hasThumbnails: true });
  });

const pageNumberOf = (c: HttpContext): number => Math.min(1_000_000, Math.max(1, Math.trunc(Number(c.req.query("page"))) || 1));
