import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { FileRow } from "../db/tables/files.ts";

/**
 * The status of a row of `files` in SQL. A withdrawal ends many places in batches, so a place that it has not reached yet has the status that it will
 * get. Every query that decides who gets bytes reads this instead of the column.
 */
export const effectiveStatus = sql<FileRow["status"]>`CASE
  WHEN files.origin_id IS NOT NULL AND files.status IN ('active', 'expired') THEN coalesce(
    (SELECT iif(withdrawals.kind = 'deletion', 'deleted', 'dmca_removed')
      FROM withdrawn_files JOIN withdrawals ON withdrawals.id = withdrawn_files.withdrawal_id
      WHERE withdrawn_files.file_id = files.origin_id AND withdrawals.undone_at IS NULL LIMIT 1),
    files.status)
  ELSE files.status END`;

/** The condition of an active row of `files` that no withdrawal ends. It names the column too, because indexes have it. */
export const isStillActive = sql<boolean>`(files.status = 'active' AND ${effectiveStatus} = 'active')`;

/** Returns whether a withdrawal ends a place that it may not have reached yet. */
export async function isWithdrawn(db: Db, { id, origin_id }: Pick<FileRow, "id" | "origin_id">): Promise<boolean> {
  if (origin_id === null) return false;
  const row = await db.selectFrom("files").select(effectiveStatus.as("status")).where("id", "=", id).executeTakeFirst();
  return row?.status === "deleted" || row?.status === "dmca_removed";
}
