import type { Migration } from "../migrate.ts";

const LISTED = "owner_id IS NOT NULL AND status IN ('active', 'dmca_removed') AND blob_state <> 'uploading'";

/**
 * Sorts and searches the files of an account (listing, "Files"): `name_key` is searched, `name_order` sorted by. Files from before have their
 * name in lower case, which only folds the letters of ASCII. The first index has all that a search reads, so that it reads no row.
 */
export const fileLists: Migration = {
  name: "0010-file-lists",
  statements: [
    "ALTER TABLE files ADD COLUMN name_key TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE files ADD COLUMN name_order TEXT NOT NULL DEFAULT ''",
    "UPDATE files SET name_key = lower(name), name_order = lower(name) WHERE owner_id IS NOT NULL",
    `CREATE INDEX files_by_name ON files (owner_id, folder_id, name_order, id, status, blob_state, scan_status, size_bytes, created_at, name_key)
      WHERE ${LISTED}`,
    `CREATE INDEX files_by_size ON files (owner_id, folder_id, size_bytes, id, status, blob_state) WHERE ${LISTED}`,
  ],
};
