/** The tables of downloads that have begun, and of files that an account chose to download as one ZIP (downloads, "Archives of an account"). */
export const downloads: readonly string[] = [
  `CREATE TABLE download_grants (
      id TEXT PRIMARY KEY,
      file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
      budget_bytes INTEGER NOT NULL,
      sent_spans TEXT NOT NULL DEFAULT '[]',
      completed_at INTEGER,
      expires_at INTEGER NOT NULL
    )`,
  "CREATE INDEX download_grants_file ON download_grants (file_id)",
  "CREATE INDEX download_grants_expiry ON download_grants (expires_at)",
  `CREATE TABLE owner_archives (
      id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      files TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
  "CREATE INDEX owner_archives_owner ON owner_archives (owner_id)",
  "CREATE INDEX owner_archives_expired ON owner_archives (expires_at)",
];
