import type { Migration } from "../migrate.ts";

/** Uploads that an owner lets somebody else make (decisions, "Uploads"). */
export const delegations: Migration = {
  name: "0007-delegations",
  statements: [
    `CREATE TABLE delegations (
      id TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL UNIQUE,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      key_id TEXT NOT NULL,
      quota_owner TEXT NOT NULL,
      name TEXT,
      content_type TEXT,
      size_bytes INTEGER,
      publish TEXT NOT NULL,
      immutable INTEGER NOT NULL DEFAULT 0,
      upstream TEXT NOT NULL DEFAULT '[]',
      short_id TEXT NOT NULL,
      session_key TEXT NOT NULL,
      upload_id_hash TEXT NOT NULL,
      unlock_hash TEXT,
      handoff_hash TEXT,
      result TEXT,
      file_id TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    `CREATE INDEX delegations_age ON delegations (expires_at)`,
  ],
};
