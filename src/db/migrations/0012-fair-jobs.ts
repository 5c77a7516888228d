import type { Migration } from "../migrate.ts";

/** 16 MiB: jobs for files above it are large. */
const LARGE_BYTES = 16 * 1024 ** 2;

/** The same as `fairKey`: callers without a key of one IPv6 /48 share a key. */
const KEY = `CASE WHEN quota_owner LIKE 'anon:%:%' THEN substr(quota_owner, 1, 5 + instr(substr(quota_owner, 6), ':')) ELSE quota_owner END`;

/** Makes a job's key wait from when the job is due, and no sooner than when another of its jobs was claimed. */
const WAIT = `INSERT INTO job_keys (kind, fair_key, is_large, waiting_since, claimed_at)
  VALUES (NEW.kind, NEW.fair_key, NEW.is_large, NEW.run_at, 0)
  ON CONFLICT (kind, fair_key, is_large) DO UPDATE SET waiting_since = min(waiting_since, max(excluded.waiting_since, claimed_at))`;

/**
 * Jobs know who caused them and whether they are large, so that nobody's jobs delay everybody's. Triggers keep a row for each key that has
 * jobs, whoever changes them, so that the key whose turn is next is one look-up. Files know that they arrived damaged.
 */
export const fairJobs: Migration = {
  name: "0012-fair-jobs",
  statements: [
    `ALTER TABLE jobs ADD COLUMN fair_key TEXT NOT NULL DEFAULT ''`,
    `ALTER TABLE jobs ADD COLUMN is_large INTEGER NOT NULL DEFAULT 0`,
    `UPDATE jobs SET
        fair_key = coalesce((SELECT ${KEY} FROM files WHERE id = jobs.subject), ''),
        is_large = coalesce((SELECT size_bytes > ${LARGE_BYTES} FROM files WHERE id = jobs.subject), 0)
      WHERE kind = 'scan'`,
    `UPDATE jobs SET fair_key = coalesce((SELECT ${KEY} FROM imports WHERE id = jobs.subject), '') WHERE kind = 'import'`,
    `CREATE INDEX jobs_fair ON jobs (kind, is_large, fair_key, run_at)`,
    `CREATE TABLE job_keys (
      kind TEXT NOT NULL,
      fair_key TEXT NOT NULL,
      is_large INTEGER NOT NULL,
      waiting_since INTEGER NOT NULL,
      claimed_at INTEGER NOT NULL,
      PRIMARY KEY (kind, fair_key, is_large)
    ) WITHOUT ROWID`,
    `CREATE INDEX job_keys_waiting ON job_keys (kind, is_large, waiting_since)`,
    `INSERT INTO job_keys (kind, fair_key, is_large, waiting_since, claimed_at)
      SELECT kind, fair_key, is_large, min(run_at), 0 FROM jobs GROUP BY kind, is_large, fair_key`,
    `CREATE TRIGGER job_keys_insert AFTER INSERT ON jobs BEGIN ${WAIT}; END`,
    `CREATE TRIGGER job_keys_release AFTER UPDATE OF run_at, lease_until ON jobs WHEN NEW.lease_until IS NULL BEGIN ${WAIT}; END`,
    `CREATE TRIGGER job_keys_delete AFTER DELETE ON jobs
      WHEN NOT EXISTS (SELECT 1 FROM jobs WHERE kind = OLD.kind AND is_large = OLD.is_large AND fair_key = OLD.fair_key)
      BEGIN DELETE FROM job_keys WHERE kind = OLD.kind AND fair_key = OLD.fair_key AND is_large = OLD.is_large; END`,
    `ALTER TABLE jobs ADD COLUMN awaits TEXT`,
    `CREATE INDEX jobs_awaiting ON jobs (awaits, created_at) WHERE awaits IS NOT NULL`,
    `ALTER TABLE files ADD COLUMN failure TEXT CHECK (failure IN ('digest_mismatch'))`,
  ],
};
