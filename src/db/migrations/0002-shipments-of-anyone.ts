import type { Migration } from "../migrate.ts";

/**
 * Shares of callers without a key can be shipments (sharing, "Shipments"): a share has the tokens that claim it, delete it and add files to
 * it, and an upload session names its uploader, who may not be the owner of the share.
 */
export const shipmentsOfAnyone: Migration = {
  name: "0002-shipments-of-anyone",
  statements: [
    "ALTER TABLE shares ADD COLUMN title TEXT",
    "ALTER TABLE shares ADD COLUMN message TEXT",
    "ALTER TABLE shares ADD COLUMN claim_hash TEXT",
    "ALTER TABLE shares ADD COLUMN deletion_hash TEXT",
    "ALTER TABLE shares ADD COLUMN share_token_hash TEXT",
    "ALTER TABLE shares ADD COLUMN share_token_expires_at INTEGER",
    "ALTER TABLE shares ADD COLUMN ended_at INTEGER",
    "CREATE INDEX shares_ended ON shares (ended_at) WHERE ended_at IS NOT NULL",
    `UPDATE shares SET (claim_hash, deletion_hash) =
      (SELECT claim_hash, deletion_hash FROM files WHERE files.short_id = shares.short_id AND files.claim_hash IS NOT NULL)
      WHERE kind = 'file'`,
    "ALTER TABLE files DROP COLUMN claim_hash",
    "ALTER TABLE files DROP COLUMN deletion_hash",
    "ALTER TABLE upload_sessions ADD COLUMN uploader_id TEXT",
    "UPDATE upload_sessions SET uploader_id = (SELECT owner_id FROM files WHERE files.id = upload_sessions.file_id)",
  ],
};
