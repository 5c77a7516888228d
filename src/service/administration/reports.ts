import type { Ctx, TransactionCtx } from "../../context.ts";
import type { ReportRow } from "../../db/tables/reports.ts";
import { AppError, notFound } from "../../errors.ts";
import { toIso } from "../../lib/iso-time.ts";
import type { AuditOrigin } from "../audit-log/record-audit.ts";
import type { Input, Output } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { findReports, listReportPage, type ReportPageRow } from "../reports/queries.ts";
import { closeReports, type ResolvedReports } from "../reports/review-reports.ts";
import { findShare } from "../shares/queries.ts";
import { type ShownThumbnail, showThumbnail } from "../thumbnails/open-thumbnail.ts";
import { toAdminFile } from "./files.ts";
import { type AdminFileRow, listShareFileIds, loadAdminFiles } from "./files-queries.ts";
import { blockShare, toBlocksView } from "./take-down.ts";
import { blockFile } from "./take-down-file.ts";

/** Files and other reports that the details of a report have. */
const MAX_LISTED = 50;

type ReportView = Output<"listReports">["data"][number];

/** `GET /admin/reports`. */
export const listReports: Operation<"listReports"> = (ctx, _call, input) => listReportViews(ctx, input);

/** Lists reports: open ones oldest first, others the last sent first. `nextCursor` is null on the last page. */
export async function listReportViews(
  ctx: Pick<Ctx, "db">,
  { state = "open", limit, cursor }: Input<"listReports">,
): Promise<Output<"listReports">> {
  const pageSize = clampLimit(limit, { defaultLimit: 50, maxLimit: 200 });
  const rows = await listReportPage(ctx.db, { state, after: cursor, limit: pageSize + 1 });
  const page = rows.slice(0, pageSize);
  return { success: true, data: page.map(toView), nextCursor: rows.length > pageSize ? (page.at(-1)?.id ?? null) : null };
}

const toView = (row: ReportPageRow): ReportView => ({
  id: row.id,
  shortId: row.short_id,
  shareStatus: row.share_status,
  name: row.name,
  fileCount: row.file_count,
  sizeBytes: row.size_bytes,
  sha256: row.sha256,
  reason: row.reason,
  details: row.details,
  email: row.email,
  createdAt: toIso(row.created_at),
  resolvedAt: toIso(row.resolved_at),
  resolution: row.resolution,
  openReports: row.open_reports,
  outcome: row.outcome,
  resolvedBy: row.resolved_by_email ?? row.resolved_by,
});

/** `GET /admin/reports/{id}`. */
export const getReport: Operation<"getReport"> = (ctx, _call, { id }) => describeReport(ctx, id);

/** A report with its share, the first files of it, and its other reports. Throws NOT_FOUND. */
export async function describeReport(ctx: Ctx, id: string): Promise<Output<"getReport">> {
  const [report] = await listReportPage(ctx.db, { state: "all", id, limit: 1 });
  if (!report) throw reportNotFound();
  const [share, others, fileIds] = await Promise.all([
    findShare(ctx.db, report.short_id),
    listReportPage(ctx.db, { state: "all", sameAs: report, limit: MAX_LISTED }),
    listShareFileIds(ctx.db, report.short_id, MAX_LISTED),
  ]);
  const files = await loadAdminFiles(ctx.db, fileIds);
  return {
    ...toView(report),
    owner: share === undefined || share.owner_id === null ? null : (files[0]?.owner ?? unknownOwner(share.owner_id)),
    isProtected: share !== undefined && share.unlock_hash !== null,
    files: files.map((row) => ({ file: toAdminFile(ctx, row), thumbnail: openThumbnailOf(ctx, row) })),
    others: others.map(toView),
  };
}

const unknownOwner = (id: string) => ({ id, email: null, emailVerified: false });

/** What anybody with the link sees. */
const openThumbnailOf = (ctx: Ctx, { file, share }: AdminFileRow): ShownThumbnail | null =>
  share.unlock_hash === null && share.is_private === 0 ? showThumbnail(ctx, file, share) : null;

/** `POST /admin/reports/{id}/dismiss`. */
export const dismissReport: Operation<"dismissReport"> = (ctx, call, { id, note, all }) =>
  commitResponse(ctx, call, async (ctx) => {
    const report = await getOpenReport(ctx, id);
    return await dismiss(ctx, call, all ? await findReports(ctx.db, report.short_id) : [report], note);
  });

/**
 * Resolves a report, or with a share's short ID all that are open, without changing the share. Throws NOT_FOUND; CONFLICT if none is open;
 * VALIDATION_FAILED for a long note.
 */
export const dismissReports = (ctx: Ctx, origin: AuditOrigin, named: string, note: string | undefined): Promise<ResolvedReports> =>
  ctx.transaction(async (ctx) => await dismiss(ctx, origin, await getOpenReports(ctx, named), note));

async function dismiss(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  reports: readonly ReportRow[],
  note: string | null | undefined,
): Promise<Output<"dismissReport">> {
  const { shortId, resolved } = await closeReports(ctx, origin, reports, { note: note ?? undefined, outcome: "dismissed" });
  return { shortId, resolved: [...resolved] };
}

/** What of a reported share is taken down. */
type Takedown = Omit<Input<"takeDownReported">, "id">;

/** `POST /admin/reports/{id}/takedown`: all in one transaction, so that of two administrators the second is told. */
export const takeDownReported: Operation<"takeDownReported"> = async (ctx, call, { id, ...takedown }) => {
  const response = await commitResponse(ctx, call, async (ctx) => {
    const report = await getOpenReport(ctx, id);
    return await takeDownShareOf(ctx, call, report, takedown);
  });
  ctx.wakeJobs();
  return response;
};

/** Takes down what a report, or the open reports of a share, are about. Throws as `dismissReports`. */
export async function takeDownReports(
  ctx: Ctx,
  origin: AuditOrigin,
  named: string,
  takedown: Takedown,
): Promise<Output<"takeDownReported">> {
  const taken = await ctx.transaction(async (ctx) => {
    const [report] = await getOpenReports(ctx, named);
    return await takeDownShareOf(ctx, origin, report, takedown);
  });
  ctx.wakeJobs();
  return taken;
}

/** Takes down the share of a report or one of its files, and resolves all open reports of the share. */
async function takeDownShareOf(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  report: ReportRow,
  { fileId, block, note }: Takedown,
): Promise<Output<"takeDownReported">> {
  const options = block ? { block: { reason: note ?? undefined } } : {};
  const taken = fileId
    ? await blockFile(ctx, origin, fileId, { ...options, shortId: report.short_id })
    : await blockShare(ctx, origin, report.short_id, options);
  const reports = await findReports(ctx.db, report.short_id);
  const { shortId, resolved } = await closeReports(ctx, origin, reports, { note: note ?? undefined, outcome: "taken_down" });
  return { shortId, resolved: [...resolved], bytesUntil: taken.bytesUntil, ...toBlocksView(taken) };
}

/** Throws NOT_FOUND, and CONFLICT if another administrator was faster. */
async function getOpenReport(ctx: TransactionCtx, id: string): Promise<ReportRow> {
  const [report] = await getOpenReports(ctx, id);
  if (report.id !== id) throw reportNotFound();
  return report;
}

/** The open ones of the reports with an ID, or of the share with a short ID. Throws NOT_FOUND, and CONFLICT if all are resolved. */
async function getOpenReports({ db }: TransactionCtx, named: string): Promise<[ReportRow, ...ReportRow[]]> {
  const found = await findReports(db, named);
  if (found.length === 0) throw reportNotFound();
  const [first, ...others] = found.filter(({ resolved_at }) => resolved_at === null);
  if (!first) throw new AppError("CONFLICT", "The report was already resolved. Get it again to see what was decided.");
  return [first, ...others];
}

const reportNotFound = (): AppError => notFound("report", "List the reports to find it.");
