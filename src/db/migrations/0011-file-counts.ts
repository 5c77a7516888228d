import type { Migration } from "../migrate.ts";

/** Counts the files of each quota beside their bytes: all whose bytes are there, or under way. Quotas that were empty but for files of no bytes come back. */
export const fileCounts: Migration = {
  name: "0011-file-counts",
  statements: [
    `ALTER TABLE quotas ADD COLUMN file_count INTEGER NOT NULL DEFAULT 0`,
    `INSERT INTO quotas (owner, file_count)
      SELECT quota_owner, count(*) FROM files WHERE blob_state <> 'gone' GROUP BY quota_owner
      ON CONFLICT (owner) DO UPDATE SET file_count = excluded.file_count`,
  ],
};
