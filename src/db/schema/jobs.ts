/** The SQL by which a job's key waits from the time the job is due, but not before another of its jobs was last leased. */
const KEY_WAITS = `INSERT INTO job_keys (kind, fair_key, is_large, waiting_since, leased_at)
  VALUES (NEW.kind, NEW.fair_key, NEW.is_large, NEW.run_at, 0)
  ON CONFLICT (kind, fair_key, is_large) DO UPDATE SET waiting_since = min(waiting_since, max(excluded.waiting_since, leased_at))`;

/** The tables of waiting work, and of the last run of each scheduled work. */
export const jobs: readonly string[] = [
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
      failed_at INTEGER,
      UNIQUE (kind, subject)
    )`,
  "CREATE INDEX jobs_due ON jobs (kind, run_at)",
  "CREATE INDEX jobs_leased ON jobs (lease_holder) WHERE lease_holder IS NOT NULL",
  "CREATE INDEX jobs_fair ON jobs (kind, is_large, fair_key, run_at)",
  "CREATE INDEX jobs_awaiting ON jobs (awaits, created_at) WHERE awaits IS NOT NULL",
  `CREATE TRIGGER job_keys_insert AFTER INSERT ON jobs BEGIN ${KEY_WAITS}; END`,
  `CREATE TRIGGER job_keys_release AFTER UPDATE OF run_at, lease_until ON jobs WHEN NEW.lease_until IS NULL BEGIN ${KEY_WAITS}; END`,
  `CREATE TRIGGER job_keys_delete AFTER DELETE ON jobs
      WHEN NOT EXISTS (SELECT 1 FROM jobs WHERE kind = OLD.kind AND is_large = OLD.is_large AND fair_key = OLD.fair_key)
      BEGIN DELETE FROM job_keys WHERE kind = OLD.kind AND fair_key = OLD.fair_key AND is_large = OLD.is_large; END`,
  // The index finds failed work for the list of administrators (administration, "Failed jobs").
  "CREATE INDEX jobs_failed ON jobs (failed_at, id) WHERE failed_at IS NOT NULL",
  // Triggers on `jobs` maintain this table for every statement that changes jobs (fair queues).
  `CREATE TABLE job_keys (
      kind TEXT NOT NULL,
      fair_key TEXT NOT NULL,
      is_large INTEGER NOT NULL,
      waiting_since INTEGER NOT NULL,
      leased_at INTEGER NOT NULL,
      PRIMARY KEY (kind, fair_key, is_large)
    ) WITHOUT ROWID`,
  "CREATE INDEX job_keys_waiting ON job_keys (kind, is_large, waiting_since)",
  `CREATE TABLE schedule_runs (
      name TEXT PRIMARY KEY,
      scheduled_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
];
