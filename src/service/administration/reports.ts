import type { TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { ReportRow } from "../../db/tables/moderation.ts";
import { AppError, notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { Output } from "../contract.ts";
import { findShareTakedown } from "../files/takedowns.ts";
import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { findReports, listReportPage, type ReportPageRow } from "../reports/queries.ts";
import { closeReports } from "../reports/review-reports.ts";
import { findShare } from "../shares/queries.ts";
import { toAdminFiles } from "./files.ts";
import { listShareFileIds, loadAdminFiles } from "./files-queries.ts";
import { openThumbnailOf } from "./open-thumbnails.ts";
import { readOtherPlaces, takeDownInTransaction, toBlocksView, toTakedownOptions } from "./take-down.ts";
import { blockFile } from "./take-down-file.ts";

/** Maximum number of files, and of other reports, in the details of a report. */
const MAX_LISTED = 50;

type ReportView = Output<"listReports">["data"][number];

/** `GET /admin/reports`: lists open reports oldest first, and resolved ones latest first. `nextCursor` is null on the last page. */
export const listReports: AdministratorOperation<"listReports"> = async (ctx, _call, { state = "open", byShare, limit, cursor }) => {
  const pageSize = clampLimit(limit, { defaultLimit: 50, maxLimit: 200 });
  const rows = await listReportPage(ctx.db, { state, isByShare: byShare === true, after: cursor, limit: pageSize + 1 });
  const page = rows.slice(0, pageSize);
  return { success: true, data: page.map(toView), nextCursor: rows.length > pageSize ? (page.at(-1)?.id ?? null) : null };
};

const toView = (row: ReportPageRow): ReportView => ({
  id: row.id,
  shortId: row.short_id,
  shareStatus: row.share_status,
  name: row.name,
  encrypted: row.is_encrypted,
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

/** `GET /admin/reports/{id}`: returns a report with its share, the share's first files and its other reports. Throws NOT_FOUND. */
export const getReport: AdministratorOperation<"getReport"> = async (ctx, _call, { id }) => {
  const [report] = await listReportPage(ctx.db, { state: "all", id, limit: 1 });
  if (!report) throw reportNotFound();
  const [share, others, fileIds] = await Promise.all([
    findShare(ctx.db, report.short_id),
    listReportPage(ctx.db, { state: "all", sameAs: report, limit: MAX_LISTED }),
    listShareFileIds(ctx.db, report.short_id, MAX_LISTED),
  ]);
  const [rows, otherPlaces] = await Promise.all([loadAdminFiles(ctx.db, fileIds), readPlacesElsewhere(ctx.db, report.short_id)]);
  const files = await toAdminFiles(ctx, rows);
  return {
    ...toView(report),
    owner: share === undefined || share.owner_id === null ? null : (rows[0]?.owner ?? unknownOwner(share.owner_id)),
    isProtected: share !== undefined && share.unlock_hash !== null,
    files: rows.flatMap((row, index) => {
      const file = files[index];
      return file ? [{ file, thumbnail: openThumbnailOf(ctx, row) }] : [];
    }),
    ...otherPlaces,
    others: others.map(toView),
  };
};

/** Returns the places in other shares of a share's files, also of those that were deleted from it. */
async function readPlacesElsewhere(db: Db, shortId: string) {
  const files = await db
    .selectFrom("files")
    .select(["id", "origin_id"])
    .where("short_id", "=", shortId)
    .where("origin_id", "is not", null)
    .execute();
  return await readOtherPlaces(db, files);
}

const unknownOwner = (id: string) => ({ id, email: null, emailVerified: false });

/**
 * `POST /admin/reports/{id}/dismiss`: resolves a report, or with `all` every open report of its share, and leaves the share unchanged. Throws
 * NOT_FOUND; CONFLICT if it is resolved; VALIDATION_FAILED for a long note.
 */
export const dismissReport: AdministratorOperation<"dismissReport"> = (ctx, call, { id, note, all }) =>
  commitResponse(ctx, call, async (ctx) => {
    const report = await getOpenReport(ctx, id);
    const reports = all ? await findReports(ctx.db, report.short_id) : [report];
    const { shortId, resolved } = await closeReports(ctx, call, reports, { note: note ?? undefined, outcome: "dismissed" });
    return { shortId, resolved: [...resolved] };
  });

/**
 * `POST /admin/reports/{id}/takedown`: takes down a report's share or one of its files, and resolves all open reports of the share. One transaction
 * does both, so that a second administrator gets CONFLICT. Throws as `dismissReport` does.
 */
export const takeDownReported: AdministratorOperation<"takeDownReported"> = async (
  ctx,
  call,
  { id, fileId, block, note, publicReason },
) => {
  const response = await commitResponse(ctx, call, async (ctx) => {
    const { short_id, reason } = await getOpenReport(ctx, id);
    // The reason of a takedown in force remains, unless the administrator chooses another one.
    const ofReport = (await findShareTakedown(ctx.db, short_id)) ? undefined : reason;
    const options = toTakedownOptions({ block, note, publicReason: publicReason === undefined ? ofReport : publicReason });
    const taken = fileId
      ? await blockFile(ctx, call, fileId, { ...options, shortId: short_id })
      : await takeDownInTransaction(ctx, call, short_id, options);
    const reports = await findReports(ctx.db, short_id);
    const { shortId, resolved } = await closeReports(ctx, call, reports, { note: note ?? undefined, outcome: "taken_down" });
    const { bytesUntil, otherPlaces, otherPlaceCount } = taken;
    return { shortId, resolved: [...resolved], bytesUntil, otherPlaces, otherPlaceCount, ...toBlocksView(taken) };
  });
  ctx.wakeJobs();
  return response;
};

/** Gets an open report. Throws NOT_FOUND, and CONFLICT if another administrator has resolved it. */
async function getOpenReport({ db }: TransactionCtx, id: string): Promise<ReportRow> {
  const report = (await findReports(db, id)).find((report) => report.id === id);
  if (!report) throw reportNotFound();
  if (report.resolved_at !== null) throw new AppError("CONFLICT", "The report was already resolved. Get it again to see what was decided.");
  return report;
}

const reportNotFound = (): AppError => notFound("report", "List the reports to find it.");
