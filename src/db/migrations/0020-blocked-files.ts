import type { Migration } from "../migrate.ts";

/**
 * Files of takedowns whose digest is put on the blocklist as soon as it is known, and how all files with a digest are found that have bytes to
 * send: those of used-up downloads have, too.
 */
export const blockedFiles: Migration = {
  name: "0020-blocked-files",
  statements: [
    `CREATE TABLE awaited_blocks (
      file_id TEXT PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
      reason TEXT,
      added_by TEXT NOT NULL
    ) WITHOUT ROWID`,
    `DROP INDEX files_digest`,
    `CREATE INDEX files_digest ON files (sha256) WHERE sha256 IS NOT NULL AND blob_state = 'stored'`,
  ],
};
