import type { Migration } from "../migrate.ts";

/** Imports from other servers: what was asked for, how far it is, how it ended. */
export const imports: Migration = {
  name: "0003-imports",
  statements: [
    `CREATE TABLE imports (
      id TEXT PRIMARY KEY,
      secret_hash TEXT NOT NULL,
      owner_id TEXT REFERENCES users (id) ON DELETE CASCADE,
      key_id TEXT,
      quota_owner TEXT NOT NULL,
      url TEXT NOT NULL,
      file_name TEXT,
      publish TEXT NOT NULL,
      claim_hash TEXT,
      deletion_hash TEXT,
      status TEXT NOT NULL CHECK (status IN ('queued', 'importing', 'completed', 'failed', 'cancelled')),
      phase TEXT NOT NULL,
      bytes_done INTEGER NOT NULL DEFAULT 0,
      bytes_total INTEGER,
      name TEXT,
      session_id TEXT,
      validator TEXT,
      failures INTEGER NOT NULL DEFAULT 0,
      file_id TEXT,
      short_id TEXT,
      credentials TEXT,
      error TEXT,
      error_code TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      ended_at INTEGER
    )`,
    `CREATE INDEX imports_open ON imports (quota_owner, status) WHERE ended_at IS NULL`,
    `CREATE INDEX imports_ended ON imports (ended_at) WHERE ended_at IS NOT NULL`,
  ],
};
