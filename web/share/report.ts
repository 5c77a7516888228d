import { AppError } from "../../src/errors.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { errorHeaders } from "../../src/http/responding/http-error.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondErrorPage, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { reportsContract } from "../../src/service/reports/contract.ts";
import { findReportable, type ReportableShare } from "../../src/service/reports/create-report.ts";
import { isShareOpen } from "../../src/service/shares/share-state.ts";
import { renderMessagePage } from "../site/message-page.tsx";
import { type ReportProblem, renderReportPage } from "./report-page.tsx";

/** `GET /report/:shortId`: shows the form that reports a share (reports, "The form"). */
export async function showReportForm(c: HttpContext): Promise<Response> {
  const found = await findReportable(c.env.ctx, c.req.param("shortId") ?? "");
  return await (found ? showForm(c, found) : respondMissing(c));
}

/** `POST /report/:shortId`, by that form. Shows the form again, with what was entered, if the report is refused. */
export async function sendReport(c: HttpContext): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page");
    const entered = readEntered(await readPageForm(c, call));
    const found = await findReportable(c.env.ctx, c.req.param("shortId") ?? "");
    if (!found) return await respondMissing(c);
    const input = reportsContract.createReport.input.safeParse({ shortId: found.share.short_id, ...entered });
    if (!input.success)
      return await showForm(c, found, { entered, problem: { field: toField(input.error.issues[0]?.path[0]) }, status: 400 });
    try {
      await operations.createReport(c.env.ctx, call, input.data);
    } catch (error) {
      if (!(error instanceof AppError && error.code === "RATE_LIMITED")) throw error;
      const problem = { tryAgainInMinutes: Math.ceil((error.retryAfterSeconds ?? 0) / 60) };
      return await showForm(c, found, { entered, problem, status: error.status, headers: errorHeaders(error) });
    }
    return await respondPage(c, { html: renderMessagePage(pageContext(c), { kind: "reported" }) });
  } catch (error) {
    return await respondErrorPage(c, error);
  }
}

type Entered = Readonly<Partial<Record<"reason" | "details" | "email", string>>>;

/** Browsers send a line break as two characters, which the limit of the text field counts as one. */
const readEntered = (form: URLSearchParams): Entered => ({
  reason: form.get("reason") || undefined,
  details: form.get("details")?.replaceAll("\r\n", "\n") || undefined,
  email: form.get("email")?.trim() || undefined,
});

const toField = (name: PropertyKey | undefined) => (name === "email" || name === "details" ? name : "reason");

interface FormState {
  readonly entered?: Entered;
  readonly problem?: ReportProblem;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

async function showForm(c: HttpContext, found: ReportableShare, { entered, problem, status, headers }: FormState = {}): Promise<Response> {
  const { ctx } = c.env;
  const { share, files } = found;
  const [file] = files;
  const isShown = file && share.kind === "file" && isShareOpen(ctx, share);
  const html = renderReportPage(pageContext(c), {
    shareUrl: `${ctx.urls.siteUrl}/d/${share.short_id}`,
    path: `/report/${share.short_id}`,
    file: isShown ? { name: file.name, sizeBytes: file.size_bytes } : undefined,
    entered,
    problem,
  });
  return await respondPage(c, { status, headers, html });
}

const respondMissing = (c: HttpContext): Promise<Response> =>
  respondPage(c, { status: 404, html: renderMessagePage(pageContext(c), { kind: "missing" }) });
