import type { Migration } from "../migrate.ts";

/**
 * Finds the first and the last report of a share, of all, of the open or of the resolved ones, by one entry of an index, because anybody may send
 * many reports of a share (reports, "For the administrator").
 */
export const reportsOfShares: Migration = {
  name: "0013-reports-of-shares",
  statements: [
    "DROP INDEX reports_share",
    "CREATE INDEX reports_share ON reports (short_id, id)",
    "CREATE INDEX reports_share_open ON reports (short_id, id, resolved_at) WHERE resolved_at IS NULL",
    "CREATE INDEX reports_share_resolved ON reports (short_id, id, resolved_at) WHERE resolved_at IS NOT NULL",
  ],
};
