/** The tables that the servers of one database share. */
export const servers: readonly string[] = [
  `CREATE TABLE server_instances (
      id TEXT PRIMARY KEY,
      host TEXT NOT NULL,
      pid INTEGER NOT NULL,
      process_started TEXT,
      lease_until INTEGER NOT NULL
    )`,
  `CREATE TABLE server_state (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) WITHOUT ROWID`,
  // Settings that administrators change while the server runs (configuration, "Settings in the database").
  `CREATE TABLE run_time_settings (
      name TEXT PRIMARY KEY,
      revision INTEGER NOT NULL,
      changed_at INTEGER NOT NULL,
      value TEXT
    )`,
  "CREATE INDEX run_time_settings_revision ON run_time_settings (revision)",
  // `credential` belongs to the first request. Only this credential gets the secrets of the response again (idempotency, "Secrets of a repeated
  // response").
  `CREATE TABLE idempotent_requests (
      caller TEXT NOT NULL,
      route TEXT NOT NULL,
      key_hash TEXT NOT NULL,
      body_digest TEXT,
      lease_holder TEXT,
      response TEXT,
      created_at INTEGER NOT NULL,
      credential TEXT,
      PRIMARY KEY (caller, route, key_hash)
    ) WITHOUT ROWID`,
  "CREATE INDEX idempotent_requests_age ON idempotent_requests (created_at)",
  // Bytes of the store without a row, with the time when they were first seen (storage, "Bytes that nobody knows").
  `CREATE TABLE unknown_blobs (
      place TEXT NOT NULL,
      blob_key TEXT NOT NULL,
      staged_ref TEXT NOT NULL,
      first_seen_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      PRIMARY KEY (place, blob_key, staged_ref)
    ) WITHOUT ROWID`,
];
