import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { WEBHOOKS } from "../webhooks/limits.ts";
import { countAttention } from "./count-attention.ts";
import type { Overview } from "./overview-contract.ts";

/** Counts what may need an administrator. */
export async function countFailures(db: Db): Promise<Overview["failures"]> {
  const count = sql<number>`count(*)`.as("count");
  const [attention, endpoints, scans] = await Promise.all([
    countAttention(db),
    db
      .selectFrom("webhook_endpoints")
      .select(count)
      .where("status", "=", "paused")
      .where("failed_events", ">=", WEBHOOKS.failedEventsToPause)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom("files")
      .select(count)
      // A literal, because SQLite does not use a partial index for parameters.
      .where(sql<boolean>`scan_status <> 'clean'`)
      .where("scan_reason", "=", "scan_failed")
      .where("status", "=", "active")
      .executeTakeFirstOrThrow(),
  ]);
  return {
    openReports: attention.openReports,
    failedJobs: [...attention.failedJobs],
    failedScans: scans.count,
    pausedWebhooks: endpoints.count,
  };
}
