import type { Migration } from "../migrate.ts";

/** Has all that a list of runs, and the order of a run's files, read (listing, "Runs"). */
export const runs: Migration = {
  name: "0030-runs",
  statements: [
    "DROP INDEX files_run",
    `CREATE INDEX files_run ON files (owner_id, run_id, created_at, id, status, blob_state, size_bytes)
      WHERE run_id IS NOT NULL AND owner_id IS NOT NULL AND status IN ('active', 'dmca_removed') AND blob_state <> 'uploading'`,
  ],
};
