import type { Migration } from "../migrate.ts";

/**
 * The lists of an account's shares, newest first, and of the downloads of a share (listing, "Shares"). The conditions are written as in
 * `src/service/shares/share-list-queries.ts`, so that SQLite uses these indexes.
 */
export const shareLists: Migration = {
  name: "0009-share-lists",
  statements: [
    `CREATE INDEX shares_newest ON shares (owner_id, created_at DESC, short_id DESC)
      WHERE owner_id IS NOT NULL AND status = 'active' AND redirect_to IS NULL`,
    `CREATE INDEX shares_last_ended ON shares (owner_id, ended_at DESC, short_id DESC)
      WHERE owner_id IS NOT NULL AND status IN ('expired', 'dmca_removed') AND redirect_to IS NULL`,
    `CREATE INDEX shares_public ON shares (owner_id, created_at DESC, short_id DESC)
      WHERE visibility = 'public' AND status = 'active' AND redirect_to IS NULL`,
    `CREATE INDEX events_authorized ON events (short_id, created_at) WHERE type = 'file.authorized'`,
  ],
};
