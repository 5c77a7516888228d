import type { Migration } from "../migrate.ts";

/**
 * What archives write before the bytes of a file, and what senders add to it.
 *
 * - `crc32`: null until it is known; of a part, only if it is the whole file (archives, "Entries").
 * - `modified_at`, `is_executable`: as the sender's file system had them, if they were sent (uploads, "Times and permissions").
 */
export const checksumsAndTimes: Migration = {
  name: "0002-checksums-and-times",
  statements: [
    "ALTER TABLE files ADD COLUMN crc32 INTEGER",
    "ALTER TABLE files ADD COLUMN modified_at INTEGER",
    "ALTER TABLE files ADD COLUMN is_executable INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE upload_parts ADD COLUMN crc32 INTEGER",
  ],
};
