import { type RawBuilder, sql } from "kysely";
import type { Db } from "./database.ts";
import type { JobRow } from "./tables/processes.ts";

/** A class of jobs whose slots are shared out among keys. */
export interface FairJobs {
  readonly kind: string;
  readonly isLarge: boolean;
  readonly nowMs: number;
}

export interface FairClaim extends FairJobs {
  readonly holder: string;
  readonly leaseMs: number;
  /** How many jobs of one key `holder` may have at the same time. */
  readonly maxPerKey: number;
}

/** How many keys a claim corrects at most that seem to wait and do not. */
const MAX_CORRECTIONS = 64;

/**
 * Leases the next job to `holder`, or resolves to undefined. It is the oldest due job of the key that has the fewest running jobs on all
 * servers; of several such keys, the one that has waited longest since its job was due or another of its jobs was claimed. Reads a row for each
 * running job and one more, however many keys wait. Call it in a transaction.
 */
export async function claimFairJob(db: Db, claim: FairClaim): Promise<JobRow | undefined> {
  const { holder, nowMs, leaseMs } = claim;
  for (let corrections = 0; corrections <= MAX_CORRECTIONS; corrections++) {
    const next = await findNext(db, claim);
    if (!next) return undefined;
    if (next.id === null) {
      await correctKey(db, claim, next.fair_key);
      continue;
    }
    const job = await db
      .updateTable("jobs")
      .set({ lease_holder: holder, lease_until: nowMs + leaseMs, attempts: sql`attempts + 1` })
      .where("id", "=", next.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await noteClaim(db, claim, next.fair_key);
    return job;
  }
  return undefined;
}

/** Whether a due job waits of a key that has none running anywhere. */
export async function isNewcomerWaiting(db: Db, jobs: FairJobs): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`WITH ${busyKeys({ ...jobs, holder: "" })}
    SELECT EXISTS (SELECT 1 FROM ${idleKeys(jobs)} AND EXISTS ${oldestDue(jobs, sql`job_keys.fair_key`)}) AS found`.execute(db);
  return rows[0]?.found === 1;
}

interface NextJob {
  readonly fair_key: string;
  /** Null where the key has no due job after all. */
  readonly id: string | null;
}

/** The longest waiting of the keys without a running job, which are left out of the index one by one; only where there is none, of the others. */
async function findNext(db: Db, claim: FairClaim): Promise<NextJob | undefined> {
  const { kind, isLarge, nowMs, maxPerKey } = claim;
  const { rows } = await sql<NextJob>`WITH ${busyKeys(claim)},
    candidates (fair_key, running, waiting_since) AS (
      SELECT * FROM (SELECT fair_key, 0, waiting_since FROM ${idleKeys(claim)} ORDER BY waiting_since LIMIT 1)
      UNION ALL
      SELECT busy.fair_key, running, waiting_since FROM busy CROSS JOIN job_keys ON job_keys.fair_key = busy.fair_key
      WHERE own < ${maxPerKey} AND kind = ${kind} AND is_large = ${isLarge ? 1 : 0} AND waiting_since <= ${nowMs}
    ),
    chosen (fair_key) AS (SELECT fair_key FROM candidates ORDER BY running, waiting_since LIMIT 1)
    SELECT fair_key, ${oldestDue(claim, sql`chosen.fair_key`)} AS id FROM chosen`.execute(db);
  return rows[0];
}

/** Moves a key behind the others that wait, in both classes. */
async function noteClaim(db: Db, { kind, nowMs }: FairJobs, fairKey: string): Promise<void> {
  await db
    .updateTable("job_keys")
    .set({ claimed_at: nowMs, waiting_since: sql`max(${nowMs}, ${NEXT_START})` })
    .where("kind", "=", kind)
    .where("fair_key", "=", fairKey)
    .execute();
}

async function correctKey(db: Db, { kind, isLarge }: FairJobs, fairKey: string): Promise<void> {
  await db
    .updateTable("job_keys")
    .set({ waiting_since: sql`max(claimed_at, ${NEXT_START})` })
    .where("kind", "=", kind)
    .where("fair_key", "=", fairKey)
    .where("is_large", "=", isLarge ? 1 : 0)
    .execute();
}

/** When a job of the key in `job_keys` can start next: when a free one is due, or when a lease ends that is not renewed. */
const NEXT_START = sql<number>`min(
  coalesce((
    SELECT run_at FROM jobs WHERE kind = job_keys.kind AND is_large = job_keys.is_large AND fair_key = job_keys.fair_key AND lease_until IS NULL
    ORDER BY run_at LIMIT 1
  ), 9007199254740991),
  coalesce((
    SELECT min(max(run_at, lease_until)) FROM jobs
    WHERE lease_holder IS NOT NULL AND +kind = job_keys.kind AND +is_large = job_keys.is_large AND +fair_key = job_keys.fair_key
  ), 9007199254740991)
)`;

/** `busy`: the keys with running jobs. By the index of leased jobs, of which there are few: the "+" keeps the planner from walking all of the kind. */
function busyKeys({ kind, nowMs, holder }: Pick<FairClaim, "kind" | "nowMs" | "holder">): RawBuilder<unknown> {
  return sql`busy (fair_key, running, own) AS MATERIALIZED (
    SELECT fair_key, count(*), sum(lease_holder = ${holder})
    FROM jobs WHERE lease_holder IS NOT NULL AND lease_until > ${nowMs} AND +kind = ${kind} GROUP BY fair_key
  )`;
}

/** Keys of the class that wait and have no running job. */
const idleKeys = ({ kind, isLarge, nowMs }: FairJobs): RawBuilder<unknown> =>
  sql`job_keys WHERE kind = ${kind} AND is_large = ${isLarge ? 1 : 0} AND waiting_since <= ${nowMs} AND fair_key NOT IN (SELECT fair_key FROM busy)`;

const oldestDue = ({ kind, isLarge, nowMs }: FairJobs, fairKey: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  SELECT id FROM jobs
  WHERE kind = ${kind} AND is_large = ${isLarge ? 1 : 0} AND fair_key = ${fairKey} AND run_at <= ${nowMs}
    AND (lease_until IS NULL OR lease_until <= ${nowMs})
  ORDER BY run_at LIMIT 1
)`;
