import type { Migration } from "../migrate.ts";

const LISTED = "status <> 'deleted' AND blob_state <> 'uploading'";
/** All that a filter or a search reads, so that it reads no row. */
const FILTERED = "id, status, scan_status, owner_id, name_key";

/**
 * The lists of administrators (administration, "Files"; reports, "For the administrator"). The conditions are written as in the queries,
 * so that SQLite uses these indexes. Files without an account have their name in lower case from now on, which only folds the letters of
 * ASCII.
 */
export const moderation: Migration = {
  name: "0022-moderation",
  statements: [
    "ALTER TABLE reports ADD COLUMN outcome TEXT CHECK (outcome IN ('dismissed', 'taken_down'))",
    "ALTER TABLE reports ADD COLUMN resolved_by TEXT",
    "UPDATE files SET name_key = lower(name), name_order = lower(name) WHERE owner_id IS NULL AND name_key = ''",
    `CREATE INDEX files_all_by_age ON files (created_at, ${FILTERED}) WHERE ${LISTED}`,
    `CREATE INDEX files_all_by_size ON files (size_bytes, ${FILTERED}) WHERE ${LISTED}`,
    "DROP INDEX files_digest",
    "CREATE INDEX files_digest ON files (sha256) WHERE sha256 IS NOT NULL",
    "CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (id) WHERE status = 'failed'",
    "CREATE INDEX jobs_failing ON jobs (kind, id) WHERE last_error IS NOT NULL",
  ],
};
