import type { Db } from "../../db/database.ts";
import { countFailed, type FailedCount } from "../administration/failed-jobs-queries.ts";
import { countOpenReports } from "../reports/queries.ts";

/** Numbers of items that wait for an administrator, for every page of the administration. */
export interface Attention {
  readonly openReports: number;
  /** Numbers of failures, by kind. */
  readonly failedJobs: readonly FailedCount[];
}

/** Counts the items with small indexes. */
export async function countAttention(db: Db): Promise<Attention> {
  const [openReports, failedJobs] = await Promise.all([countOpenReports(db), countFailed(db)]);
  return { openReports, failedJobs };
}
