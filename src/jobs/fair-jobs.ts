import { type RawBuilder, sql } from "kysely";
import type { Db, TransactionDb } from "../db/database.ts";
import type { JobRow } from "../db/tables/jobs.ts";
import type { JobCtx, JobTransactionCtx } from "./context.ts";
import { LEASE_MS } from "./instances.ts";
import type { JobSlots } from "./job.ts";
import { leaseJobs } from "./queue.ts";

/** A class of jobs whose slots are shared fairly among keys. */
export interface FairJobs {
  readonly kind: string;
  readonly isLarge: boolean;
  readonly nowMs: number;
}

export interface FairLease extends FairJobs {
  readonly holder: string;
  readonly leaseMs: number;
  /** Maximum number of running jobs of one key at `holder`. */
  readonly maxPerKey: number;
}

/** Maximum number of outdated `job_keys` rows that one call corrects. */
const MAX_CORRECTIONS = 64;

/**
 * Leases the next job to `holder`; undefined if none is due. Chooses the key with the fewest running jobs on all servers, then the key that
 * has waited longest (since its job was due, or another of its jobs was leased), and leases its oldest due job. Reads one row per running
 * job and one more, however many keys wait.
 */
export async function leaseFairJob(db: TransactionDb, lease: FairLease): Promise<JobRow | undefined> {
  const { holder, nowMs, leaseMs } = lease;
  for (let corrections = 0; corrections <= MAX_CORRECTIONS; corrections++) {
    const next = await findNext(db, lease);
    if (!next) return undefined;
    if (next.id === null) {
      await correctKey(db, lease, next.fair_key);
      continue;
    }
    const job = await db
      .updateTable("jobs")
      .set({ lease_holder: holder, lease_until: nowMs + leaseMs, attempts: sql`attempts + 1` })
      .where("id", "=", next.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordLease(db, lease, next.fair_key);
    return job;
  }
  return undefined;
}

/** Returns whether a key without a running job on any server has a due job. */
export async function hasIdleKeyWaiting(db: Db, jobs: FairJobs): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`WITH ${busyKeys({ ...jobs, holder: "" })}
    SELECT EXISTS (SELECT 1 FROM ${idleKeys(jobs)} AND EXISTS ${oldestDue(jobs, sql`job_keys.fair_key`)}) AS found`.execute(db);
  return rows[0]?.found === 1;
}

interface NextJob {
  readonly fair_key: string;
  /** The job's ID; null if the key has no due job. */
  readonly id: string | null;
}

/** Finds the key without a running job that has waited longest, skipping busy keys in the index one by one. If there is none, finds a busy key. */
async function findNext(db: Db, lease: FairLease): Promise<NextJob | undefined> {
  const { kind, isLarge, nowMs, maxPerKey } = lease;
  const { rows } = await sql<NextJob>`WITH ${busyKeys(lease)},
    candidates (fair_key, running, waiting_since) AS (
      SELECT * FROM (SELECT fair_key, 0, waiting_since FROM ${idleKeys(lease)} ORDER BY waiting_since LIMIT 1)
      UNION ALL
      SELECT busy.fair_key, running, waiting_since FROM busy CROSS JOIN job_keys ON job_keys.fair_key = busy.fair_key
      WHERE own < ${maxPerKey} AND kind = ${kind} AND is_large = ${isLarge ? 1 : 0} AND waiting_since <= ${nowMs}
    ),
    chosen (fair_key) AS (SELECT fair_key FROM candidates ORDER BY running, waiting_since LIMIT 1)
    SELECT fair_key, ${oldestDue(lease, sql`chosen.fair_key`)} AS id FROM chosen`.execute(db);
  return rows[0];
}

/** Moves a key behind the other waiting keys, in both classes. */
async function recordLease(db: Db, { kind, nowMs }: FairJobs, fairKey: string): Promise<void> {
  await db
    .updateTable("job_keys")
    .set({ leased_at: nowMs, waiting_since: sql`max(${nowMs}, ${NEXT_START_TIME})` })
    .where("kind", "=", kind)
    .where("fair_key", "=", fairKey)
    .execute();
}

async function correctKey(db: Db, { kind, isLarge }: FairJobs, fairKey: string): Promise<void> {
  await db
    .updateTable("job_keys")
    .set({ waiting_since: sql`max(leased_at, ${NEXT_START_TIME})` })
    .where("kind", "=", kind)
    .where("fair_key", "=", fairKey)
    .where("is_large", "=", isLarge ? 1 : 0)
    .execute();
}

/** The SQL of the next start time of a key in `job_keys`: when an unleased job is due, or when a lease expires. */
const NEXT_START_TIME = sql<number>`min(
  coalesce((
    SELECT run_at FROM jobs WHERE kind = job_keys.kind AND is_large = job_keys.is_large AND fair_key = job_keys.fair_key AND lease_until IS NULL
    ORDER BY run_at LIMIT 1
  ), 9007199254740991),
  coalesce((
    SELECT min(max(run_at, lease_until)) FROM jobs
    WHERE lease_holder IS NOT NULL AND +kind = job_keys.kind AND +is_large = job_keys.is_large AND +fair_key = job_keys.fair_key
  ), 9007199254740991)
)`;

/** Selects the keys with running jobs. Uses the index of leased jobs, which are few: the "+" keeps the planner from reading all jobs of the kind. */
function busyKeys({ kind, nowMs, holder }: Pick<FairLease, "kind" | "nowMs" | "holder">): RawBuilder<unknown> {
  return sql`busy (fair_key, running, own) AS MATERIALIZED (
    SELECT fair_key, count(*), sum(lease_holder = ${holder})
    FROM jobs WHERE lease_holder IS NOT NULL AND lease_until > ${nowMs} AND +kind = ${kind} GROUP BY fair_key
  )`;
}

/** Selects the waiting keys of the class without a running job. */
const idleKeys = ({ kind, isLarge, nowMs }: FairJobs): RawBuilder<unknown> =>
  sql`job_keys WHERE kind = ${kind} AND is_large = ${isLarge ? 1 : 0} AND waiting_since <= ${nowMs} AND fair_key NOT IN (SELECT fair_key FROM busy)`;

const oldestDue = ({ kind, isLarge, nowMs }: FairJobs, fairKey: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  SELECT id FROM jobs
  WHERE kind = ${kind} AND is_large = ${isLarge ? 1 : 0} AND fair_key = ${fairKey} AND run_at <= ${nowMs}
    AND (lease_until IS NULL OR lease_until <= ${nowMs})
  ORDER BY run_at LIMIT 1
)`;

type FairSlots = NonNullable<JobSlots["fair"]>;

/** The running jobs of a kind in this server instance. */
export interface BusySlots {
  all: number;
  large: number;
  /** Whether the last started job was large. */
  wasLarge: boolean;
}

export interface SlotRequest {
  readonly kind: string;
  readonly slots: JobSlots;
  readonly busy: Readonly<BusySlots>;
  readonly nowMs: number;
}

/** Leases due jobs of a kind to the free slots. */
export async function leaseForSlots(ctx: JobCtx, request: SlotRequest): Promise<readonly JobRow[]> {
  const { kind, slots, busy, nowMs } = request;
  const { fair } = slots;
  if (fair) return await ctx.transaction((ctx) => leaseFairly(ctx, request, fair));
  return await leaseJobs(ctx.db, { kind, limit: slots.total - busy.all, holder: ctx.instanceId, nowMs, leaseMs: LEASE_MS });
}

/**
 * Leases small jobs first and always leaves them a slot. Large jobs do not wait without limit: one of them is leased first if none is running, but
 * not twice in a row.
 */
async function leaseFairly(ctx: JobTransactionCtx, { kind, slots, busy, nowMs }: SlotRequest, fair: FairSlots): Promise<readonly JobRow[]> {
  const { perKey, large } = fair;
  const leased: JobRow[] = [];
  const free = (): number => slots.total - busy.all - leased.length;
  const freeForLarge = (): number => Math.min(free(), large - busy.large - leased.filter((job) => job.is_large === 1).length);
  const leaseUpTo = async (isLarge: boolean, limit: number): Promise<void> => {
    for (let left = limit; left > 0; left--) {
      const job = await leaseFairJob(ctx.db, { kind, isLarge, holder: ctx.instanceId, nowMs, leaseMs: LEASE_MS, maxPerKey: perKey });
      if (!job) return;
      leased.push(job);
    }
  };
  if (busy.large === 0 && !busy.wasLarge) await leaseUpTo(true, Math.min(1, freeForLarge()));
  await leaseUpTo(false, free());
  await leaseUpTo(true, freeForLarge());
  return leased;
}
