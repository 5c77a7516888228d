import type { HttpContext } from "../../src/http/routing/env.ts";
import { countAttention } from "../../src/service/system/count-attention.ts";

/** Loads the counts in the navigation of the administration. Call it again after a change of the counts. */
export async function loadAdminCounts(c: HttpContext): Promise<void> {
  const { openReports, failedJobs } = await countAttention(c.env.ctx.db);
  c.env.adminCounts = { openReports, failedJobs: failedJobs.reduce((sum, { count }) => sum + count, 0) };
}
