import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { loadAdminCounts } from "../counts.ts";
import { readPublicReason } from "../decision-form.tsx";
import { describeTakedown } from "../describe-takedown.ts";
import { type AdminReportPageProps, renderAdminReportPage } from "./report-page.tsx";

export const showReportPage = (c: HttpContext, call: RequestContext): Promise<Response> => respondReport(c, call, {});

/** Handles `POST /admin/reports/{id}`. Shows a decision that another administrator made meanwhile. */
export async function postReportDecision(c: HttpContext, call: RequestContext): Promise<Response> {
  const form = await readPageForm(c, call);
  const { moderation } = pageContext(c).texts;
  const conflict = form.get("action") === "restore" ? moderation.notRestored : moderation.resolvedMeanwhile;
  return await respondToRefusals(async () => await respondReport(c, call, await applyForm(c, call, form)), {
    CONFLICT: (refusal) => respondReport(c, call, { problem: conflict }, refusal),
  });
}

type Outcome = Pick<AdminReportPageProps, "done" | "problem">;

async function applyForm(c: HttpContext, call: RequestContext, form: URLSearchParams): Promise<Outcome> {
  const { ctx } = c.env;
  const page = pageContext(c);
  const { moderation } = page.texts;
  const id = reportId(c);
  const note = form.get("note")?.trim() || undefined;
  const fileId = form.get("file") || undefined;
  switch (readAction(form, ["takedown", "restore", "dismiss"])) {
    case "takedown": {
      const publicReason = readPublicReason(form);
      if (publicReason === undefined) return { problem: moderation.choosePublicReason };
      const taken = await operations.takeDownReported(ctx, call, {
        id,
        fileId,
        block: form.get("block") === "true",
        publicReason,
        note,
      });
      return { done: describeTakedown(page, taken) };
    }
    case "restore": {
      if (fileId) await operations.restoreFile(ctx, call, { fileId });
      else await operations.restoreTakenDown(ctx, call, { shortId: (await operations.getReport(ctx, call, { id })).shortId });
      return { done: moderation.restored };
    }
    case "dismiss": {
      const { resolved } = await operations.dismissReport(ctx, call, { id, note, all: true });
      return { done: moderation.dismissed(resolved.length) };
    }
  }
}

async function respondReport(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const report = await operations.getReport(ctx, call, { id: reportId(c) });
  if (c.req.method === "POST") await loadAdminCounts(c);
  const html = renderAdminReportPage(pageContext(c), { report, nowMs: ctx.now(), ...outcome });
  return await respondPage(c, { html, refusal, hasThumbnails: true });
}

const reportId = (c: HttpContext): string => c.req.param("id") ?? "";
