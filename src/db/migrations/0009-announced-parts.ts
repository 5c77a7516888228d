import type { Migration } from "../migrate.ts";

/** What the bytes of parts are to be that do not pass through a server: held against them before the file is clean (decisions, "Storage"). */
export const announcedParts: Migration = {
  name: "0009-announced-parts",
  statements: [
    `CREATE TABLE announced_parts (
      file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
      part_number INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      start_byte INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      PRIMARY KEY (file_id, part_number)
    ) WITHOUT ROWID`,
  ],
};
