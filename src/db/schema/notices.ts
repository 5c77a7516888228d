/** Notices to accounts (notices, "Kinds"). */
export const notices: readonly string[] = [
  `CREATE TABLE notices (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('downloaded', 'arrived', 'expiring')),
      about TEXT NOT NULL,
      title TEXT NOT NULL,
      path TEXT NOT NULL,
      count INTEGER NOT NULL,
      at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      read_at INTEGER,
      mailed_at INTEGER
    )`,
  "CREATE INDEX notices_user ON notices (user_id, updated_at)",
  "CREATE INDEX notices_unread ON notices (user_id, kind, about) WHERE read_at IS NULL",
  "CREATE INDEX notices_unmailed ON notices (user_id, created_at) WHERE mailed_at IS NULL",
  "CREATE INDEX notices_mailed ON notices (user_id, mailed_at) WHERE mailed_at IS NOT NULL",
  "CREATE INDEX notices_old ON notices (updated_at)",
  `CREATE TABLE notice_settings (
      user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      downloaded INTEGER NOT NULL DEFAULT 0,
      arrived INTEGER NOT NULL DEFAULT 1,
      expiring INTEGER NOT NULL DEFAULT 1,
      by_mail INTEGER NOT NULL DEFAULT 1
    )`,
];
