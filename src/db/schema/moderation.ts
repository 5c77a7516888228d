/** Reports, and digests that no file may have (scanning, "The blocklist"). */
export const moderation: readonly string[] = [
  // Reports of shares (reports, "What is kept"). The table has no references, because a report outlives its share.
  `CREATE TABLE reports (
      id TEXT PRIMARY KEY,
      short_id TEXT NOT NULL,
      name TEXT NOT NULL,
      file_count INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      sha256 TEXT,
      reason TEXT NOT NULL CHECK (reason IN ('malware', 'phishing', 'illegal', 'copyright', 'personal_data', 'other')),
      details TEXT,
      email TEXT,
      created_at INTEGER NOT NULL,
      resolved_at INTEGER,
      resolution TEXT,
      outcome TEXT CHECK (outcome IN ('dismissed', 'taken_down')),
      resolved_by TEXT
    )`,
  "CREATE INDEX reports_share ON reports (short_id)",
  "CREATE INDEX reports_open ON reports (created_at) WHERE resolved_at IS NULL",
  "CREATE INDEX reports_resolved ON reports (resolved_at) WHERE resolved_at IS NOT NULL",
  `CREATE TABLE blocked_digests (
      sha256 TEXT PRIMARY KEY,
      reason TEXT,
      added_by TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
  "CREATE INDEX blocked_digests_age ON blocked_digests (created_at, sha256)",
  // Files of takedowns whose digest is added to the blocklist as soon as it is known.
  `CREATE TABLE awaited_blocks (
      file_id TEXT PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
      reason TEXT,
      added_by TEXT NOT NULL
    ) WITHOUT ROWID`,
];
