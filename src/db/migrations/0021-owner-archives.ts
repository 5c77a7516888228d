import type { Migration } from "../migrate.ts";

/** The files that an account chose to download as one ZIP (downloads, "Archives of an account"). */
export const ownerArchives: Migration = {
  name: "0021-owner-archives",
  statements: [
    `CREATE TABLE owner_archives (
      id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      files TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    `CREATE INDEX owner_archives_owner ON owner_archives (owner_id)`,
    `CREATE INDEX owner_archives_expired ON owner_archives (expires_at)`,
  ],
};
