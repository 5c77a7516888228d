import type { Migration } from "../migrate.ts";

/** Digests that no file may have (scanning, "The blocklist"), and how files with a digest are found. */
export const blocklist: Migration = {
  name: "0019-blocklist",
  statements: [
    `CREATE TABLE blocked_digests (
      sha256 TEXT PRIMARY KEY,
      reason TEXT,
      added_by TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE INDEX blocked_digests_age ON blocked_digests (created_at, sha256)`,
    `CREATE INDEX files_digest ON files (sha256) WHERE sha256 IS NOT NULL AND status = 'active'`,
  ],
};
