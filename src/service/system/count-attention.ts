import type { Db } from "../../db/database.ts";
import { countFailed, type FailedCount } from "../administration/failed-jobs-queries.ts";
import { countOpenReports } from "../reports/queries.ts";

/** What waits for an administrator, on every page of the administration. */
export interface Attention {
  readonly openReports: number;
  /** What failed, by kind. */
  readonly failedJobs: readonly FailedCount[];
}

/** Counts entries of small indexes. */
export async function countAttention(db: Db): Promise<Attention> {
  const [openReports, failedJobs] = await Promise.all([countOpenReports(db), countFailed(db)]);
  return { openReports, failedJobs };
}
