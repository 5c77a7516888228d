import type { Migration } from "../migrate.ts";

/** The files that `GET /files/list` shows: the same words as `LISTED` in `service/files/`, so that SQLite uses the partial indexes. */
const listed = (row: string): string =>
  `${row}owner_id IS NOT NULL AND ${row}status IN ('active', 'dmca_removed') AND ${row}blob_state <> 'uploading'`;

const LISTED_COLUMNS = `UPDATE OF owner_id, folder_id, size_bytes, status, blob_state ON files`;

/** Adds a file to the totals of its folder, or subtracts it. */
const addToTotals = (row: "NEW." | "OLD.", sign: 1 | -1): string =>
  `INSERT INTO folder_totals (owner_id, folder_id, file_count, total_bytes)
    VALUES (${row}owner_id, coalesce(${row}folder_id, ''), ${sign}, ${sign} * ${row}size_bytes)
    ON CONFLICT (owner_id, folder_id) DO UPDATE SET
      file_count = file_count + excluded.file_count,
      total_bytes = total_bytes + excluded.total_bytes`;

/** Makes a job's key wait from the time the job is due, but not before another of its jobs was last leased. */
const KEY_WAITS = `INSERT INTO job_keys (kind, fair_key, is_large, waiting_since, leased_at)
  VALUES (NEW.kind, NEW.fair_key, NEW.is_large, NEW.run_at, 0)
  ON CONFLICT (kind, fair_key, is_large) DO UPDATE SET waiting_since = min(waiting_since, max(excluded.waiting_since, leased_at))`;

/**
 * The schema (model, "File and share"). Times are milliseconds since 1970, sizes bytes, booleans 0 or 1. Triggers maintain `folder_totals` and
 * `job_keys` for every statement that changes files or jobs. References have indexes, because a deletion searches every table that may
 * refer to the deleted row.
 */
export const initialSchema: Migration = {
  name: "0001-schema",
  statements: [
    `CREATE TABLE users (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      email TEXT NOT NULL UNIQUE COLLATE NOCASE,
      email_verified INTEGER NOT NULL DEFAULT 0,
      image TEXT,
      username TEXT UNIQUE COLLATE NOCASE,
      role TEXT NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'admin', 'agent')),
      tier TEXT NOT NULL DEFAULT 'free' CHECK (tier IN ('free', 'pro')),
      pro_until INTEGER,
      disabled_at INTEGER,
      agent_group TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
    `CREATE INDEX users_agents ON users (created_at) WHERE role = 'agent'`,
    `CREATE INDEX users_pro_until ON users (pro_until) WHERE pro_until IS NOT NULL`,
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      prefix TEXT NOT NULL UNIQUE,
      salt TEXT NOT NULL,
      hash TEXT NOT NULL,
      label TEXT,
      scope TEXT NOT NULL CHECK (scope IN ('files_read', 'files_write', 'full')),
      is_agent_key INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      revoked_at INTEGER
    )`,
    `CREATE INDEX api_keys_owner ON api_keys (owner_id)`,
    `CREATE TABLE challenges (
      id TEXT PRIMARY KEY,
      subject TEXT NOT NULL,
      difficulty INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER
    ) WITHOUT ROWID`,
    `CREATE INDEX challenges_age ON challenges (expires_at)`,
    `CREATE TABLE quotas (
      owner TEXT PRIMARY KEY,
      used_bytes INTEGER NOT NULL DEFAULT 0,
      reserved_bytes INTEGER NOT NULL DEFAULT 0,
      file_count INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID`,
    `CREATE TABLE rate_windows (
      name TEXT NOT NULL,
      subject TEXT NOT NULL,
      count INTEGER NOT NULL,
      resets_at INTEGER NOT NULL,
      PRIMARY KEY (name, subject)
    ) WITHOUT ROWID`,
    `CREATE INDEX rate_windows_age ON rate_windows (resets_at)`,
    `CREATE TABLE folders (
      id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      parent_id TEXT REFERENCES folders (id),
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
    `CREATE INDEX folders_owner ON folders (owner_id, parent_id, name)`,
    `CREATE INDEX folders_parent ON folders (parent_id) WHERE parent_id IS NOT NULL`,
    `CREATE TABLE folder_totals (
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      folder_id TEXT NOT NULL,
      file_count INTEGER NOT NULL,
      total_bytes INTEGER NOT NULL,
      PRIMARY KEY (owner_id, folder_id)
    ) WITHOUT ROWID`,
    `CREATE TRIGGER folders_delete_totals AFTER DELETE ON folders BEGIN
      DELETE FROM folder_totals WHERE owner_id = OLD.owner_id AND folder_id = OLD.id;
    END`,
    `CREATE TABLE shares (
      short_id TEXT PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('file', 'shipment')),
      owner_id TEXT REFERENCES users (id),
      name TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'expired', 'deleted', 'dmca_removed')),
      visibility TEXT NOT NULL DEFAULT 'unlisted' CHECK (visibility IN ('unlisted', 'public')),
      direct INTEGER NOT NULL DEFAULT 0,
      retention TEXT NOT NULL DEFAULT 'ttl' CHECK (retention IN ('ttl', 'forever')),
      expires_at INTEGER,
      is_expiry_chosen INTEGER NOT NULL DEFAULT 0,
      ends_with_pro INTEGER NOT NULL DEFAULT 0,
      expires_at_before_cut INTEGER,
      once INTEGER NOT NULL DEFAULT 0,
      max_downloads INTEGER,
      unlock_hash TEXT,
      handoff_hash TEXT UNIQUE,
      handoff_message TEXT,
      credentials_version INTEGER NOT NULL DEFAULT 0,
      price_cents INTEGER,
      redirect_to TEXT,
      created_at INTEGER NOT NULL
    )`,
    `CREATE INDEX shares_expiry ON shares (expires_at) WHERE status = 'active' AND expires_at IS NOT NULL`,
    `CREATE INDEX shares_owner ON shares (owner_id, expires_at) WHERE owner_id IS NOT NULL`,
    `CREATE INDEX shares_ending_with_pro ON shares (owner_id, expires_at) WHERE ends_with_pro = 1 AND status = 'active'`,
    `CREATE INDEX shares_redirect ON shares (redirect_to) WHERE redirect_to IS NOT NULL`,
    `CREATE TABLE files (
      id TEXT PRIMARY KEY,
      short_id TEXT NOT NULL REFERENCES shares (short_id),
      owner_id TEXT REFERENCES users (id),
      quota_owner TEXT NOT NULL,
      folder_id TEXT REFERENCES folders (id),
      run_id TEXT,
      name TEXT NOT NULL,
      relative_path TEXT,
      size_bytes INTEGER NOT NULL,
      content_type TEXT NOT NULL,
      sha256 TEXT,
      expected_sha256 TEXT,
      blob_key TEXT NOT NULL UNIQUE,
      blob_state TEXT NOT NULL CHECK (blob_state IN ('uploading', 'stored', 'quarantined', 'removing', 'removed')),
      scan_status TEXT NOT NULL CHECK (scan_status IN ('pending', 'scanning', 'clean', 'unavailable')),
      scan_reason TEXT CHECK (scan_reason IN ('infected', 'scan_failed')),
      scan_coverage TEXT CHECK (scan_coverage IN ('whole', 'windowed', 'none')),
      scan_detail TEXT,
      failure TEXT CHECK (failure IN ('digest_mismatch')),
      scanned_at INTEGER,
      status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'expired', 'deleted', 'dmca_removed')),
      immutable INTEGER NOT NULL DEFAULT 0,
      download_count INTEGER NOT NULL DEFAULT 0,
      claim_hash TEXT,
      deletion_hash TEXT,
      created_at INTEGER NOT NULL,
      ended_at INTEGER,
      remove_at INTEGER
    )`,
    `CREATE INDEX files_share ON files (short_id)`,
    `CREATE INDEX files_owner ON files (owner_id) WHERE owner_id IS NOT NULL`,
    `CREATE INDEX files_newest ON files (owner_id, created_at DESC, id DESC, status, blob_state) WHERE ${listed("")}`,
    `CREATE INDEX files_newest_in_folder ON files (owner_id, folder_id, created_at DESC, id DESC, status, blob_state) WHERE ${listed("")}`,
    `CREATE INDEX files_folder ON files (folder_id) WHERE folder_id IS NOT NULL`,
    `CREATE INDEX files_run ON files (owner_id, run_id) WHERE run_id IS NOT NULL`,
    `CREATE INDEX files_removal ON files (remove_at) WHERE remove_at IS NOT NULL`,
    `CREATE INDEX files_ended ON files (ended_at) WHERE ended_at IS NOT NULL`,
    `CREATE INDEX files_scan ON files (scan_status, created_at) WHERE scan_status <> 'clean'`,
    `CREATE TRIGGER files_listed_insert AFTER INSERT ON files WHEN ${listed("NEW.")} BEGIN ${addToTotals("NEW.", 1)}; END`,
    `CREATE TRIGGER files_listed_delete AFTER DELETE ON files WHEN ${listed("OLD.")} BEGIN ${addToTotals("OLD.", -1)}; END`,
    `CREATE TRIGGER files_listed_before AFTER ${LISTED_COLUMNS} WHEN ${listed("OLD.")} BEGIN ${addToTotals("OLD.", -1)}; END`,
    `CREATE TRIGGER files_listed_after AFTER ${LISTED_COLUMNS} WHEN ${listed("NEW.")} BEGIN ${addToTotals("NEW.", 1)}; END`,
    `CREATE TABLE file_lineage (
      file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
      upstream_id TEXT NOT NULL,
      PRIMARY KEY (file_id, upstream_id)
    ) WITHOUT ROWID`,
    `CREATE INDEX file_lineage_upstream ON file_lineage (upstream_id)`,
    `CREATE TABLE server_instances (
      id TEXT PRIMARY KEY,
      host TEXT NOT NULL,
      pid INTEGER NOT NULL,
      process_started TEXT,
      lease_until INTEGER NOT NULL
    )`,
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
      completed_at INTEGER
    )`,
    `CREATE INDEX upload_sessions_owner ON upload_sessions (quota_owner) WHERE state <> 'completed'`,
    `CREATE INDEX upload_sessions_file ON upload_sessions (file_id)`,
    `CREATE INDEX upload_sessions_state ON upload_sessions (state, last_byte_at)`,
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
    `CREATE TABLE upload_delegations (
      id TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL UNIQUE,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      key_id TEXT NOT NULL,
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
      expires_at INTEGER NOT NULL
    )`,
    `CREATE INDEX upload_delegations_age ON upload_delegations (expires_at)`,
    `CREATE INDEX upload_delegations_owner ON upload_delegations (owner_id)`,
    `CREATE TABLE imports (
      id TEXT PRIMARY KEY,
      secret_hash TEXT NOT NULL,
      owner_id TEXT REFERENCES users (id) ON DELETE CASCADE,
      key_id TEXT,
      quota_owner TEXT NOT NULL,
      url TEXT NOT NULL,
      requested_name TEXT,
      publish_fields TEXT NOT NULL,
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
    `CREATE INDEX imports_owner ON imports (owner_id) WHERE owner_id IS NOT NULL`,
    `CREATE INDEX imports_open ON imports (quota_owner, status) WHERE ended_at IS NULL`,
    `CREATE INDEX imports_ended ON imports (ended_at) WHERE ended_at IS NOT NULL`,
    `CREATE TABLE download_grants (
      id TEXT PRIMARY KEY,
      file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
      budget_bytes INTEGER NOT NULL,
      sent_spans TEXT NOT NULL DEFAULT '[]',
      completed_at INTEGER,
      expires_at INTEGER NOT NULL
    )`,
    `CREATE INDEX download_grants_file ON download_grants (file_id)`,
    `CREATE INDEX download_grants_expiry ON download_grants (expires_at)`,
    `CREATE TABLE events (
      id TEXT PRIMARY KEY,
      type TEXT NOT NULL,
      file_id TEXT NOT NULL,
      short_id TEXT NOT NULL,
      owner_id TEXT,
      data TEXT NOT NULL,
      channel TEXT,
      client_class TEXT,
      created_at INTEGER NOT NULL,
      dispatched_at INTEGER
    )`,
    `CREATE INDEX events_file ON events (file_id, created_at, id)`,
    `CREATE INDEX events_waiting ON events (created_at) WHERE dispatched_at IS NULL`,
    `CREATE TABLE webhook_endpoints (
      id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      url TEXT NOT NULL,
      events TEXT NOT NULL,
      description TEXT,
      secret TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
      paused_reason TEXT,
      failed_attempts INTEGER NOT NULL DEFAULT 0,
      failed_events INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    )`,
    `CREATE INDEX webhook_endpoints_owner ON webhook_endpoints (owner_id, id)`,
    `CREATE TABLE webhook_deliveries (
      id TEXT PRIMARY KEY,
      endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
      event_id TEXT NOT NULL,
      type TEXT NOT NULL,
      body TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
      is_manual INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,
      failures INTEGER NOT NULL DEFAULT 0,
      response_status INTEGER,
      error TEXT,
      next_attempt_at INTEGER,
      created_at INTEGER NOT NULL,
      delivered_at INTEGER,
      CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
    )`,
    `CREATE INDEX webhook_deliveries_log ON webhook_deliveries (endpoint_id, id)`,
    `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL`,
    `CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at)`,
    `CREATE TABLE jobs (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      subject TEXT NOT NULL,
      run_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      lease_holder TEXT,
      lease_until INTEGER,
      last_error TEXT,
      fair_key TEXT NOT NULL DEFAULT '',
      is_large INTEGER NOT NULL DEFAULT 0,
      awaits TEXT,
      created_at INTEGER NOT NULL,
      UNIQUE (kind, subject)
    )`,
    `CREATE INDEX jobs_due ON jobs (kind, run_at)`,
    `CREATE INDEX jobs_leased ON jobs (lease_holder) WHERE lease_holder IS NOT NULL`,
    `CREATE INDEX jobs_fair ON jobs (kind, is_large, fair_key, run_at)`,
    `CREATE INDEX jobs_awaiting ON jobs (awaits, created_at) WHERE awaits IS NOT NULL`,
    `CREATE TABLE job_keys (
      kind TEXT NOT NULL,
      fair_key TEXT NOT NULL,
      is_large INTEGER NOT NULL,
      waiting_since INTEGER NOT NULL,
      leased_at INTEGER NOT NULL,
      PRIMARY KEY (kind, fair_key, is_large)
    ) WITHOUT ROWID`,
    `CREATE INDEX job_keys_waiting ON job_keys (kind, is_large, waiting_since)`,
    `CREATE TRIGGER job_keys_insert AFTER INSERT ON jobs BEGIN ${KEY_WAITS}; END`,
    `CREATE TRIGGER job_keys_release AFTER UPDATE OF run_at, lease_until ON jobs WHEN NEW.lease_until IS NULL BEGIN ${KEY_WAITS}; END`,
    `CREATE TRIGGER job_keys_delete AFTER DELETE ON jobs
      WHEN NOT EXISTS (SELECT 1 FROM jobs WHERE kind = OLD.kind AND is_large = OLD.is_large AND fair_key = OLD.fair_key)
      BEGIN DELETE FROM job_keys WHERE kind = OLD.kind AND fair_key = OLD.fair_key AND is_large = OLD.is_large; END`,
    `CREATE TABLE schedule_runs (
      name TEXT PRIMARY KEY,
      scheduled_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE idempotent_requests (
      caller TEXT NOT NULL,
      route TEXT NOT NULL,
      key_hash TEXT NOT NULL,
      body_digest TEXT,
      lease_holder TEXT,
      response TEXT,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (caller, route, key_hash)
    ) WITHOUT ROWID`,
    `CREATE INDEX idempotent_requests_age ON idempotent_requests (created_at)`,
    `CREATE TABLE server_state (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) WITHOUT ROWID`,
  ],
};
