/** The tables of unfinished uploads, and of an account's delegations for others. */
export const uploads: readonly string[] = [
  // A session names its uploader, who may not be the owner of the share.
  `CREATE TABLE upload_sessions (
      id TEXT PRIMARY KEY,
      session_key TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL CHECK (kind IN ('direct', 'multipart')),
      state TEXT NOT NULL CHECK (state IN ('open', 'completing', 'completed')),
      file_id TEXT NOT NULL,
      quota_owner TEXT NOT NULL,
      reserved_bytes INTEGER NOT NULL,
      size_bytes INTEGER,
      part_size_bytes INTEGER,
      total_parts INTEGER,
      blob_key TEXT NOT NULL,
      staged_ref TEXT,
      publish_fields TEXT NOT NULL DEFAULT '{}',
      lease_holder TEXT,
      result TEXT,
      last_byte_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      completed_at INTEGER,
      uploader_id TEXT,
      submission_id TEXT
    )`,
  "CREATE INDEX upload_sessions_owner ON upload_sessions (quota_owner) WHERE state <> 'completed'",
  "CREATE INDEX upload_sessions_file ON upload_sessions (file_id)",
  "CREATE INDEX upload_sessions_state ON upload_sessions (state, last_byte_at)",
  "CREATE INDEX upload_sessions_submission ON upload_sessions (submission_id) WHERE submission_id IS NOT NULL",
  `CREATE TABLE upload_parts (
      session_id TEXT NOT NULL REFERENCES upload_sessions (id) ON DELETE CASCADE,
      part_number INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      etag TEXT NOT NULL,
      PRIMARY KEY (session_id, part_number)
    ) WITHOUT ROWID`,
  `CREATE TABLE expected_parts (
      file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
      part_number INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      start_byte INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      PRIMARY KEY (file_id, part_number)
    ) WITHOUT ROWID`,
  // A delegation of a session has no `key_id`. `consent_id`: what an application made ends with its connection (oauth, "Connected
  // applications"). Without foreign keys, since keys and consents may go first.
  `CREATE TABLE upload_delegations (
      id TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL UNIQUE,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      quota_owner TEXT NOT NULL,
      name TEXT,
      content_type TEXT,
      size_bytes INTEGER,
      publish_fields TEXT NOT NULL,
      immutable INTEGER NOT NULL DEFAULT 0,
      upstream_ids TEXT NOT NULL DEFAULT '[]',
      short_id TEXT NOT NULL,
      session_key TEXT NOT NULL,
      upload_id_hash TEXT NOT NULL,
      unlock_hash TEXT,
      handoff_hash TEXT,
      result TEXT,
      file_id TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      key_id TEXT,
      consent_id TEXT
    )`,
  "CREATE INDEX upload_delegations_age ON upload_delegations (expires_at)",
  "CREATE INDEX upload_delegations_owner ON upload_delegations (owner_id)",
];
