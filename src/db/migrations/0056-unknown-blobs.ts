import type { Migration } from "../migrate.ts";

/** Bytes of the store that no row knows, with the time when they were first seen (storage, "Bytes that nobody knows"). */
export const unknownBlobs: Migration = {
  name: "0056-unknown-blobs",
  statements: [
    `CREATE TABLE unknown_blobs (
      place TEXT NOT NULL,
      blob_key TEXT NOT NULL,
      staged_ref TEXT NOT NULL,
      first_seen_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      PRIMARY KEY (place, blob_key, staged_ref)
    ) WITHOUT ROWID`,
  ],
};
