import { inJson } from "../db/bulk.ts";
import type { Db } from "../db/database.ts";

/** Makes the failed jobs among `ids` due now, unless they run. They no longer count as failed. Resolves to their IDs. */
export async function restartFailedJobs(db: Db, { ids, nowMs }: { ids: readonly string[]; nowMs: number }): Promise<string[]> {
  const rows = await db
    .updateTable("jobs")
    .set({ failed_at: null, last_error: null, run_at: nowMs })
    .where("id", "in", inJson(ids))
    .where("failed_at", "is not", null)
    .where((where) => where.or([where("lease_holder", "is", null), where("lease_until", "<=", nowMs)]))
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}
