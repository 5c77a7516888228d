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

/**
 * Leases the next job to `holder`, or resolves to undefined. It is the oldest due job of the key that has the fewest running jobs on all
 * servers; of several such keys, the one that has waited longest since its job was due or another of its jobs was claimed. Keys are walked by
 * the index, so that a key costs the same with one job as with 100,000. Call it in a transaction.
 */
export async function claimFairJob(db: Db, claim: FairClaim): Promise<JobRow | undefined> {
  const { kind, holder, nowMs, leaseMs, maxPerKey } = claim;
  const next = sql<string>`(
    WITH RECURSIVE ${waitingKeys(claim)}
    SELECT id FROM candidates WHERE id IS NOT NULL AND own < ${maxPerKey} ORDER BY running, waiting_since LIMIT 1
  )`;
  const job = await db
    .updateTable("jobs")
    .set({ lease_holder: holder, lease_until: nowMs + leaseMs, attempts: sql`attempts + 1` })
    .where("id", "=", next)
    .returningAll()
    .executeTakeFirst();
  if (!job) return undefined;
  await db
    .insertInto("job_keys")
    .values({ kind, fair_key: job.fair_key, claimed_at: nowMs })
    .onConflict((conflict) => conflict.columns(["kind", "fair_key"]).doUpdateSet({ claimed_at: nowMs }))
    .execute();
  return job;
}

/** Whether a due job waits of a key that has none running anywhere. */
export async function isNewcomerWaiting(db: Db, jobs: FairJobs): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`SELECT EXISTS (
    WITH RECURSIVE ${waitingKeys({ ...jobs, holder: "" })}
    SELECT 1 FROM candidates WHERE id IS NOT NULL AND running = 0
  ) AS found`.execute(db);
  return rows[0]?.found === 1;
}

/** Forgets keys of which nothing was claimed since: they wait no longer for it. */
export async function removeOldJobKeys(db: Db, claimedByMs: number): Promise<void> {
  await db.deleteFrom("job_keys").where("claimed_at", "<=", claimedByMs).execute();
}

/** `candidates`: for every key with jobs of the class, its oldest due job that is free, if any, and how many of its jobs run. */
function waitingKeys({ kind, isLarge, nowMs, holder }: FairJobs & Pick<FairClaim, "holder">): RawBuilder<unknown> {
  const ofClass = sql`kind = ${kind} AND is_large = ${isLarge ? 1 : 0}`;
  return sql`
    keys (fair_key) AS (
      SELECT min(fair_key) FROM jobs WHERE ${ofClass}
      UNION ALL
      SELECT (SELECT min(fair_key) FROM jobs WHERE ${ofClass} AND fair_key > keys.fair_key) FROM keys WHERE keys.fair_key IS NOT NULL
    ),
    -- By the index of leased jobs, of which there are few: the "+" keeps the planner from walking all of the kind.
    busy (fair_key, running, own) AS MATERIALIZED (
      SELECT fair_key, count(*), sum(lease_holder = ${holder})
      FROM jobs WHERE lease_holder IS NOT NULL AND lease_until > ${nowMs} AND +kind = ${kind} GROUP BY fair_key
    ),
    candidates (id, running, own, waiting_since) AS (
      SELECT
        jobs.id,
        coalesce(busy.running, 0),
        coalesce(busy.own, 0),
        max(jobs.run_at, coalesce((SELECT claimed_at FROM job_keys WHERE kind = ${kind} AND fair_key = keys.fair_key), 0))
      FROM keys
      LEFT JOIN busy ON busy.fair_key = keys.fair_key
      JOIN jobs ON jobs.id = (
        SELECT id FROM jobs
        WHERE ${ofClass} AND fair_key = keys.fair_key AND run_at <= ${nowMs} AND (lease_until IS NULL OR lease_until <= ${nowMs})
        ORDER BY run_at LIMIT 1
      )
    )`;
}
