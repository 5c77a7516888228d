import type { Migration } from "../migrate.ts";

/** The download grant that a purchase of a limited share has used, so that it can be signed again; null of those before this column. */
export const purchaseGrants: Migration = {
  name: "0047-purchase-grants",
  statements: [
    "ALTER TABLE purchase_downloads ADD COLUMN grant_id TEXT",
    // Which buyers have not completed the download of a file.
    "CREATE INDEX purchase_downloads_file ON purchase_downloads (file_id)",
  ],
};
