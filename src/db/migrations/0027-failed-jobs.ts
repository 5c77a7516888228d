import type { Migration } from "../migrate.ts";

/** When work failed, for the list of administrators (administration, "Failed jobs"). A job that fails now gets its time with its next attempt. */
export const failedJobs: Migration = {
  name: "0027-failed-jobs",
  statements: [
    "ALTER TABLE jobs ADD COLUMN failed_at INTEGER",
    "DROP INDEX jobs_failing",
    "CREATE INDEX jobs_failed ON jobs (failed_at, id) WHERE failed_at IS NOT NULL",
    "ALTER TABLE webhook_deliveries ADD COLUMN failed_at INTEGER",
    "UPDATE webhook_deliveries SET failed_at = created_at WHERE status = 'failed'",
    "DROP INDEX webhook_deliveries_failed",
    "CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (failed_at, id) WHERE failed_at IS NOT NULL",
    "ALTER TABLE mails ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0",
    "DROP INDEX mails_failed",
    "CREATE INDEX mails_failed ON mails (failed_at, id) WHERE failed_at IS NOT NULL",
  ],
};
