import type { AppError } from "../../src/errors.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondPage } from "../../src/http/responding/respond-page.ts";
import { refusedField, respondToRefusals } from "../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { parseInput } from "../../src/service/parse-input.ts";
import { reportsContract } from "../../src/service/reports/contract.ts";
import { findReportable, type ReportableShare } from "../../src/service/reports/create-report.ts";
import { viewShare } from "../../src/service/shares/view-share.ts";
import { withVisitor } from "../account/visitor.ts";
import { renderMessagePage } from "../site/message-page.tsx";
import { type ReportProblem, renderReportPage } from "./report-page.tsx";

/** Handles `GET /report/:shortId`: shows the form that reports a share (reports, "The form"). */
export async function showReportFormPage(c: HttpContext): Promise<Response> {
  const found = await findReportable(c.env.ctx, c.req.param("shortId") ?? "");
  return await (found ? showForm(c, found) : respondMissing(c));
}

/** Handles `POST /report/:shortId`. If the report is refused, shows the form again with the entered values. */
export const postReport = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, async (call) => {
    const entered = readEntered(await readPageForm(c, call));
    const found = await findReportable(c.env.ctx, c.req.param("shortId") ?? "");
    if (!found) return await respondMissing(c);
    const refuse = (problem: ReportProblem, refusal: AppError) => showForm(c, found, { entered, problem, refusal });
    return await respondToRefusals(
      async () => {
        const input = parseInput(reportsContract.createReport.input, { shortId: found.share.short_id, ...entered });
        await operations.createReport(c.env.ctx, call, input);
        return await respondPage(c, { html: renderMessagePage(pageContext(c), { kind: "reported" }) });
      },
      {
        VALIDATION_FAILED: (refusal) => refuse({ field: toField(refusedField(refusal)) }, refusal),
        RATE_LIMITED: (refusal) => refuse({ tryAgainInMinutes: Math.ceil((refusal.retryAfterSeconds ?? 0) / 60) }, refusal),
      },
    );
  });

type Entered = Readonly<Partial<Record<"reason" | "details" | "email", string>>>;

/** Reads the entered values. Browsers send a line break as two characters, which the limit of the text field counts as one. */
const readEntered = (form: URLSearchParams): Entered => ({
  reason: form.get("reason") || undefined,
  details: form.get("details")?.replaceAll("\r\n", "\n") || undefined,
  email: form.get("email")?.trim() || undefined,
});

const toField = (name: string | undefined) => (name === "email" || name === "details" ? name : "reason");

interface FormState {
  readonly entered?: Entered;
  readonly problem?: ReportProblem;
  readonly refusal?: AppError;
}

async function showForm(c: HttpContext, found: ReportableShare, { entered, problem, refusal }: FormState = {}): Promise<Response> {
  const { ctx } = c.env;
  const { share } = found;
  const view = await viewShare(ctx, share.short_id, null);
  const [file] = view.kind === "open" && share.kind === "file" ? view.files : [];
  const html = renderReportPage(pageContext(c), {
    shareUrl: `${ctx.urls.siteUrl}/d/${share.short_id}`,
    path: `/report/${share.short_id}`,
    file: file ? { name: file.name, sizeBytes: file.size_bytes } : undefined,
    entered,
    problem,
  });
  return await respondPage(c, { html, refusal });
}

const respondMissing = (c: HttpContext): Promise<Response> =>
  respondPage(c, { status: 404, html: renderMessagePage(pageContext(c), { kind: "missing" }) });
