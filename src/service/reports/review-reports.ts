import type { Ctx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import type { ReportRow } from "../../db/tables/reports.ts";
import { AppError, notFound } from "../../errors.ts";
import { toIso } from "../../lib/iso-time.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { findReports, type ListedReportRow, listReportRows, markResolved } from "./queries.ts";

const MAX_NOTE_CHARACTERS = 1000;

/** A report as an administrator sees it. Times are ISO 8601. */
export interface ReportView {
  readonly id: string;
  readonly shortId: string;
  /** Of the share now; null if no record of it is left. */
  readonly shareStatus: ShareRow["status"] | null;
  readonly name: string;
  readonly fileCount: number;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly reason: ReportRow["reason"];
  readonly details: string | null;
  readonly email: string | null;
  readonly createdAt: string;
  readonly resolvedAt: string | null;
  readonly resolution: string | null;
}

/** Lists the open reports, or `all`, oldest first. */
export async function listReports(ctx: Ctx, options: { readonly all: boolean }): Promise<ReportView[]> {
  return (await listReportRows(ctx.db, options)).map(toView);
}

export interface ResolvedReports {
  readonly shortId: string;
  readonly resolved: readonly string[];
}

/**
 * Resolves a report, or all open reports of a share, and stores the note. Resolving again changes nothing. Throws NOT_FOUND if neither has a
 * report, and VALIDATION_FAILED for a long note.
 */
export async function resolveReports(
  ctx: Ctx,
  origin: AuditOrigin,
  named: string,
  { note }: { readonly note?: string | undefined },
): Promise<ResolvedReports> {
  if (note !== undefined && [...note].length > MAX_NOTE_CHARACTERS)
    throw new AppError("VALIDATION_FAILED", `The note is too long. Use at most ${MAX_NOTE_CHARACTERS} characters.`);
  return await ctx.transaction(async (ctx) => {
    const found = await findReports(ctx.db, named);
    const [first] = found;
    if (!first) throw notFound("report", "Use its ID, or the short ID of its share, as shown by: filehost reports list --all");
    const open = found.filter(({ resolved_at }) => resolved_at === null).map(({ id }) => id);
    if (open.length > 0) await markResolved(ctx.db, open, { resolved_at: ctx.now(), resolution: note ?? null });
    const details = { share: first.short_id };
    for (const id of open) await recordAudit(ctx, origin, { action: "report.resolved", subject: id, account: null, details });
    return { shortId: first.short_id, resolved: open };
  });
}

const toView = (row: ListedReportRow): ReportView => ({
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
});
