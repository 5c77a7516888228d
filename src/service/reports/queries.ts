import type { Db } from "../../db/database.ts";
import type { ReportRow } from "../../db/tables/reports.ts";

export async function insertReport(db: Db, report: ReportRow): Promise<void> {
  await db.insertInto("reports").values(report).execute();
}

/** Lists the open reports, or `all`, oldest first, each with the present status of its share: null if the share has no row any more. */
export async function listReportRows(db: Db, { all }: { readonly all: boolean }) {
  return await db
    .selectFrom("reports")
    .leftJoin("shares", "shares.short_id", "reports.short_id")
    .selectAll("reports")
    .select("shares.status as share_status")
    .$if(!all, (query) => query.where("resolved_at", "is", null))
    .orderBy("reports.created_at")
    .orderBy("reports.id")
    .execute();
}

export type ListedReportRow = Awaited<ReturnType<typeof listReportRows>>[number];

/** Lists the reports with that ID, or of the share with that short ID. */
export async function findReports(db: Db, named: string): Promise<ReportRow[]> {
  return await db
    .selectFrom("reports")
    .selectAll()
    .where((where) => where.or([where("id", "=", named), where("short_id", "=", named)]))
    .orderBy("created_at")
    .execute();
}

/** Marks reports as resolved. */
export async function markResolved(db: Db, ids: readonly string[], resolved: Pick<ReportRow, "resolved_at" | "resolution">): Promise<void> {
  await db.updateTable("reports").set(resolved).where("id", "in", ids).execute();
}

/** Deletes the reports that were resolved before `beforeMs`. */
export async function deleteOldReports(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom("reports").where("resolved_at", "<=", beforeMs).execute();
}
