import { sql } from "kysely";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { ReportRow } from "../../db/tables/moderation.ts";

export async function insertReport(db: Db, report: ReportRow): Promise<void> {
  await db.insertInto("reports").values(report).execute();
}

/** Counts the reports that are not resolved. */
export async function countOpenReports(db: Db): Promise<number> {
  const reports = db.selectFrom("reports").select((select) => select.fn.countAll<number>().as("count"));
  return (await reports.where("resolved_at", "is", null).executeTakeFirstOrThrow()).count;
}

/** Lists the reports with an ID, or of the share with a short ID. */
export async function findReports(db: Db, named: string): Promise<ReportRow[]> {
  return await db
    .selectFrom("reports")
    .selectAll()
    .where((where) => where.or([where("id", "=", named), where("short_id", "=", named)]))
    .orderBy("created_at")
    .execute();
}

/** A page of reports: open ones oldest first, resolved ones latest first. */
export interface ReportFilter {
  readonly state: "open" | "resolved" | "all";
  /** Whether to list only the first report of each share in this order. */
  readonly isByShare?: boolean;
  /** The ID of the last report of the previous page. IDs have the order of the times. */
  readonly after?: string | undefined;
  /** Limits the list to the report with this ID. */
  readonly id?: string;
  /** Limits the list to other reports about the share of this report. */
  readonly sameAs?: Pick<ReportRow, "id" | "short_id">;
  readonly limit: number;
}

/** Lists reports with the current status of their share and the number of the share's open reports. */
export async function listReportPage(db: Db, { state, isByShare = false, after, id, sameAs, limit }: ReportFilter) {
  const isOldestFirst = state === "open";
  const rows = await db
    .selectFrom("reports")
    .leftJoin("shares", "shares.short_id", "reports.short_id")
    .leftJoin("users", (join) => join.onRef("users.id", "=", "reports.resolved_by").on("users.email_verified", "=", 1))
    .selectAll("reports")
    .select(["shares.status as share_status", "users.email as resolved_by_email"])
    .$if(state !== "all", (query) => query.where("reports.resolved_at", state === "open" ? "is" : "is not", null))
    .$if(isByShare, (query) =>
      query.where("reports.id", "=", ({ selectFrom }) =>
        selectFrom("reports as first")
          .select("first.id")
          .whereRef("first.short_id", "=", "reports.short_id")
          .$if(state !== "all", (same) => same.where("first.resolved_at", state === "open" ? "is" : "is not", null))
          .orderBy("first.id", isOldestFirst ? "asc" : "desc")
          .limit(sql.lit(1)),
      ),
    )
    .$if(id !== undefined, (query) => query.where("reports.id", "=", id ?? ""))
    .$if(sameAs !== undefined, (query) =>
      query.where("reports.short_id", "=", sameAs?.short_id ?? "").where("reports.id", "<>", sameAs?.id ?? ""),
    )
    .$if(after !== undefined, (query) => query.where("reports.id", isOldestFirst ? ">" : "<", after ?? ""))
    .orderBy("reports.id", isOldestFirst ? "asc" : "desc")
    .limit(limit)
    .execute();
  const shortIds = [...new Set(rows.map(({ short_id }) => short_id))];
  const open = await countOpenOfShares(db, shortIds);
  const encrypted = await findEncrypted(db, rows, shortIds);
  return rows.map((row) => ({ ...row, open_reports: open.get(row.short_id) ?? 0, is_encrypted: encrypted.has(nameKey(row)) }));
}

const nameKey = ({ short_id, name }: Pick<ReportRow, "short_id" | "name">): string => `${short_id}/${name}`;

/** Finds the reports that name an encrypted file of their share, by `nameKey`. Reads the files of each share once. */
async function findEncrypted(
  db: Db,
  reports: readonly Pick<ReportRow, "name">[],
  shortIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const files = await db
    .selectFrom("files")
    .select(["short_id", "name"])
    .distinct()
    .where("short_id", "in", inJson(shortIds))
    .where("name", "in", inJson([...new Set(reports.map(({ name }) => name))]))
    .where("is_encrypted", "=", 1)
    .execute();
  return new Set(files.map(nameKey));
}

/** Counts the open reports of each share once, however many of its reports are on a page. */
async function countOpenOfShares(db: Db, shortIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const counts = await db
    .selectFrom("reports")
    .select((select) => ["short_id", select.fn.countAll<number>().as("count")])
    .where("short_id", "in", inJson(shortIds))
    .where("resolved_at", "is", null)
    .groupBy("short_id")
    .execute();
  return new Map(counts.map(({ short_id, count }) => [short_id, count]));
}

export type ReportPageRow = Awaited<ReturnType<typeof listReportPage>>[number];

/** The columns of a report's resolution. */
export type Resolved = Pick<ReportRow, "resolved_at" | "resolution" | "outcome" | "resolved_by">;

/** Marks the open ones of the reports as resolved. Resolves to their IDs. */
export async function markResolved(db: Db, ids: readonly string[], resolved: Resolved): Promise<string[]> {
  const rows = await db
    .updateTable("reports")
    .set(resolved)
    .where("id", "in", inJson(ids))
    .where("resolved_at", "is", null)
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes reports that were resolved before `beforeMs`. */
export async function deleteOldReports(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom("reports").where("resolved_at", "<=", beforeMs).execute();
}
