import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { JOB_KINDS } from "../../../src/service/administration/jobs-contract.ts";
import { operations } from "../../../src/service/operations.ts";
import { loadAdminCounts } from "../counts.ts";
import { type JobsPageProps, renderJobsPage } from "./jobs-page.tsx";

export const showJobsPage = (c: HttpContext, call: RequestContext): Promise<Response> => respondJobs(c, call, {});

/** Handles `POST /admin/jobs`. Shows a change that happened meanwhile. */
export async function postJobDecision(c: HttpContext, call: RequestContext): Promise<Response> {
  const form = await readPageForm(c, call);
  const { jobs } = pageContext(c).texts;
  const refuse = (problem: string) => (refusal: AppError) => respondJobs(c, call, { problem }, refusal);
  return await respondToRefusals(async () => await respondJobs(c, call, { done: await applyForm(c, call, form) }), {
    CONFLICT: refuse(jobs.refused),
    NOT_FOUND: refuse(jobs.gone),
  });
}

async function applyForm(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<string> {
  const { ctx } = c.env;
  const { jobs } = pageContext(c).texts;
  const id = form.get("id") ?? "";
  switch (readAction(form, ["retry", "retry-all", "drop", "drop-all"])) {
    case "retry-all": {
      const { retried, skipped } = await operations.retryFailedJobs(ctx, call, { kind: readKind(c) });
      return jobs.retriedAll(retried, skipped);
    }
    case "drop-all": {
      const { dropped, skipped } = await operations.dropFailedJobs(ctx, call, { kind: readKind(c) ?? "webhook" });
      return jobs.droppedAll(dropped, skipped);
    }
    case "drop":
      await operations.dropFailedJob(ctx, call, { id });
      return jobs.dropped;
    case "retry":
      await operations.retryFailedJob(ctx, call, { id });
      return jobs.retried;
  }
}

type Outcome = Pick<JobsPageProps, "done" | "problem">;

async function respondJobs(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const kind = readKind(c);
  const sent = c.req.query("cursor");
  const cursor = sent !== undefined && /^\d{1,15}_[0-9A-Za-z-]{1,40}$/.test(sent) ? sent : undefined;
  const { data, counts, nextCursor } = await operations.listFailedJobs(ctx, call, { kind, cursor });
  if (c.req.method === "POST") await loadAdminCounts(c);
  const list = { jobs: data, counts, kind, nextCursor, isLaterPage: cursor !== undefined, nowMs: ctx.now() };
  const html = renderJobsPage(pageContext(c), { ...list, ...outcome });
  return await respondPage(c, { html, refusal });
}

const readKind = (c: HttpContext) => JOB_KINDS.find((name) => name === c.req.query("kind"));
