import type { Migration } from "../migrate.ts";

/** Reports of shares (reports, "What is kept"). Without references: a report outlives the share that it names. */
export const reports: Migration = {
  name: "0004-reports",
  statements: [
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
      resolution TEXT
    )`,
    `CREATE INDEX reports_share ON reports (short_id)`,
    `CREATE INDEX reports_open ON reports (created_at) WHERE resolved_at IS NULL`,
    `CREATE INDEX reports_resolved ON reports (resolved_at) WHERE resolved_at IS NOT NULL`,
  ],
};
