import type { Migration } from "../migrate.ts";

/** 16 MiB: jobs for files above it are large. */
const LARGE_BYTES = 16 * 1024 ** 2;

/** The same as `fairKey`: callers without a key of one IPv6 /48 share a key. */
const KEY = `CASE WHEN quota_owner LIKE 'anon:%:%' THEN substr(quota_owner, 1, 5 + instr(substr(quota_owner, 6), ':')) ELSE quota_owner END`;

/** Jobs know who caused them and whether they are large, so that nobody's jobs delay everybody's. Files know that they arrived damaged. */
export const fairJobs: Migration = {
  name: "0013-fair-jobs",
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
      claimed_at INTEGER NOT NULL,
      PRIMARY KEY (kind, fair_key)
    ) WITHOUT ROWID`,
    `CREATE INDEX job_keys_claimed ON job_keys (claimed_at)`,
    `ALTER TABLE files ADD COLUMN failure TEXT CHECK (failure IN ('digest_mismatch'))`,
  ],
};
