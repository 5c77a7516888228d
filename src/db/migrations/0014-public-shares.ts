import type { Migration } from "../migrate.ts";

/** The files that keep a share off its owner's public page: those that nobody can download yet, or any more (sharing, "The public page"). */
export const publicShares: Migration = {
  name: "0014-public-shares",
  statements: [
    `CREATE INDEX files_not_ready ON files (short_id) WHERE status = 'active' AND (scan_status <> 'clean' OR blob_state <> 'stored')`,
  ],
};
