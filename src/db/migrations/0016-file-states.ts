import type { Migration } from "../migrate.ts";

/** Sorts the files of an account by their state (listing, "Files"), by the same expression as the query. */
export const fileStates: Migration = {
  name: "0016-file-states",
  statements: [
    `CREATE INDEX files_by_state ON files (
        owner_id,
        folder_id,
        CASE WHEN status <> 'active' THEN 0 WHEN scan_status = 'unavailable' THEN 1 WHEN scan_status <> 'clean' THEN 2 ELSE 3 END,
        id, status, blob_state, scan_status
      ) WHERE owner_id IS NOT NULL AND status IN ('active', 'dmca_removed') AND blob_state <> 'uploading'`,
  ],
};
