import { sql } from "kysely";
import { inJson } from "../db/bulk.ts";
import type { Db, TransactionDb } from "../db/database.ts";
import { preparedQuery } from "../db/prepared-query.ts";
import type { JobRow } from "../db/tables/jobs.ts";
import { MINUTE_MS } from "../lib/text/duration.ts";

export interface NewJob {
  readonly id: string;
  readonly kind: string;
  /** The subject of the job. There is at most one job of a kind per subject. */
  readonly subject: string;
  readonly runAtMs: number;
  readonly nowMs: number;
  /** The account or network that caused the job, for a kind with fair slots. */
  readonly fairKey?: string;
  /** Whether the job takes long. Large jobs leave a slot to others. */
  readonly isLarge?: boolean;
}

/** Adds a job, or makes the existing one of that kind and subject due at `runAtMs` if that is earlier. */
export async function enqueueJob(db: Db, job: NewJob): Promise<void> {
  await db
    .insertInto("jobs")
    .values({
      id: job.id,
      kind: job.kind,
      subject: job.subject,
      run_at: job.runAtMs,
      created_at: job.nowMs,
      fair_key: job.fairKey ?? "",
      is_large: job.isLarge ? 1 : 0,
    })
    .onConflict((conflict) => conflict.columns(["kind", "subject"]).doUpdateSet({ run_at: sql`min(jobs.run_at, excluded.run_at)` }))
    .execute();
}

/**
 * Returns the time at which the next unleased job of a kind is due; undefined if there is none. Reads the index past the few leased jobs, because
 * every upload calls it and a backlog may have 100,000 jobs.
 */
export async function findNextDue(db: Db, parameters: { kind: string; nowMs: number }): Promise<number | undefined> {
  return (await nextDueQuery.first(db, parameters))?.run_at;
}

const nextDueQuery = preparedQuery((db, { kind, nowMs }: { kind: string; nowMs: number }) =>
  db
    .selectFrom("jobs")
    .select("run_at")
    .where("kind", "=", kind)
    .where((where) => where.or([where("lease_until", "is", null), where("lease_until", "<=", nowMs)]))
    .orderBy("run_at")
    .limit(1),
);

/** Leases up to `limit` due jobs of a kind to `holder`; each job has one holder at a time. */
export async function leaseJobs(
  db: Db,
  { kind, limit, holder, nowMs, leaseMs }: { kind: string; limit: number; holder: string; nowMs: number; leaseMs: number },
): Promise<JobRow[]> {
  return await db
    .updateTable("jobs")
    .set({ lease_holder: holder, lease_until: nowMs + leaseMs, attempts: sql`attempts + 1` })
    .where("id", "in", (query) =>
      query
        .selectFrom("jobs")
        .select("id")
        .where("kind", "=", kind)
        .where("run_at", "<=", nowMs)
        .where((where) => where.or([where("lease_until", "is", null), where("lease_until", "<=", nowMs)]))
        .orderBy("run_at")
        .limit(limit),
    )
    .returningAll()
    .execute();
}

/** Renews all leases of `holder`. */
export async function renewJobs(db: Db, { holder, nowMs, leaseMs }: { holder: string; nowMs: number; leaseMs: number }): Promise<void> {
  await db
    .updateTable("jobs")
    .set({ lease_until: nowMs + leaseMs })
    .where("lease_holder", "=", holder)
    .execute();
}

/** Deletes a job that `holder` has leased. Resolves to false if another holder has taken it over. */
export async function finishJob(db: Db, { id, holder }: { id: string; holder: string }): Promise<boolean> {
  const result = await db.deleteFrom("jobs").where("id", "=", id).where("lease_holder", "=", holder).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** The identity of a job: there is at most one of a kind per subject. */
export interface JobSubject {
  readonly kind: string;
  readonly subject: string;
}

/** Lists the subjects that have a job of a kind, which has not failed. */
export async function listWorkSubjects(
  db: Db,
  { kind, subjects }: { kind: string; subjects: readonly string[] },
): Promise<ReadonlySet<string>> {
  const jobs = await db
    .selectFrom("jobs")
    .select("subject")
    .where("kind", "=", kind)
    .where("subject", "in", inJson(subjects))
    .where("failed_at", "is", null)
    .execute();
  return new Set(jobs.map(({ subject }) => subject));
}

/** Deletes the jobs of subjects that are not leased. */
export async function cancelJobs(db: Db, { kind, subjects }: { kind: string; subjects: readonly string[] }): Promise<void> {
  await db.deleteFrom("jobs").where("kind", "=", kind).where("subject", "in", inJson(subjects)).where("lease_holder", "is", null).execute();
}

/** Deletes a job unless it is leased. Resolves to false if it is leased or done. */
export async function cancelJob(db: Db, id: string): Promise<boolean> {
  const result = await db.deleteFrom("jobs").where("id", "=", id).where("lease_holder", "is", null).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Deletes the job of a subject unless it is running. Returns false if it is running. */
export async function cancelUnlessRunning(db: TransactionDb, { kind, subject, nowMs }: JobSubject & { nowMs: number }): Promise<boolean> {
  await db
    .deleteFrom("jobs")
    .where("kind", "=", kind)
    .where("subject", "=", subject)
    .where((where) => where.or([where("lease_holder", "is", null), where("lease_until", "<=", nowMs)]))
    .execute();
  const running = await db.selectFrom("jobs").select("id").where("kind", "=", kind).where("subject", "=", subject).executeTakeFirst();
  return running === undefined;
}

/** Deletes the job of a subject, leased or not, so that a run that is still active cannot finish a newer job of that subject. */
export async function deleteJob(db: Db, { kind, subject }: JobSubject): Promise<void> {
  await db.deleteFrom("jobs").where("kind", "=", kind).where("subject", "=", subject).execute();
}

export interface JobRelease {
  readonly id: string;
  readonly holder: string;
  readonly runAtMs: number;
  readonly nowMs: number;
  /** The error; null if the job did not fail. */
  readonly error: string | null;
  readonly countsAttempt: boolean;
  /** The condition for which `wakeAwaiting` makes it due earlier. */
  readonly awaits?: string | undefined;
}

/** Returns a job to the queue, due at `runAtMs`. */
export async function releaseJob(db: Db, { id, holder, runAtMs, nowMs, error, countsAttempt, awaits }: JobRelease): Promise<void> {
  await db
    .updateTable("jobs")
    .set({
      lease_holder: null,
      lease_until: null,
      run_at: runAtMs,
      awaits: awaits ?? null,
      last_error: error,
      failed_at: error === null || awaits !== undefined ? null : nowMs,
      attempts: countsAttempt ? sql`attempts` : sql`max(0, attempts - 1)`,
    })
    .where("id", "=", id)
    .where("lease_holder", "=", holder)
    .execute();
}

/** Counts the jobs that wait for `awaits`. */
export async function countAwaiting(db: Db, awaits: string): Promise<number> {
  const jobs = db.selectFrom("jobs").select((select) => select.fn.countAll<number>().as("count"));
  return (await jobs.where("awaits", "=", awaits).executeTakeFirstOrThrow()).count;
}

/** Makes up to `limit` jobs due that wait for `awaits`, oldest first, as if they had been due since they were created. */
export async function wakeAwaiting(db: Db, { awaits, nowMs, limit }: { awaits: string; nowMs: number; limit: number }): Promise<void> {
  await db
    .updateTable("jobs")
    .set({ awaits: null, run_at: sql`min(run_at, created_at, ${nowMs})` })
    .where("id", "in", (query) => query.selectFrom("jobs").select("id").where("awaits", "=", awaits).orderBy("created_at").limit(limit))
    .execute();
}

/** Releases the jobs whose holder is not in the list. */
export async function reclaimJobs(db: Db, liveHolders: readonly string[]): Promise<void> {
  await db
    .updateTable("jobs")
    .set({ lease_holder: null, lease_until: null })
    .where("lease_holder", "is not", null)
    .$if(liveHolders.length > 0, (query) => query.where("lease_holder", "not in", liveHolders))
    .execute();
}

/** Counts jobs by index entries, because a backlog may have 200,000 jobs. */
export async function countJobs(db: Db, nowMs: number): Promise<{ waiting: number; running: number }> {
  const jobs = db.selectFrom("jobs").select((select) => select.fn.countAll<number>().as("count"));
  const [all, running] = await Promise.all([
    jobs.executeTakeFirstOrThrow(),
    jobs.where("lease_holder", "is not", null).where("lease_until", ">", nowMs).executeTakeFirstOrThrow(),
  ]);
  return { waiting: Math.max(0, all.count - running.count), running: running.count };
}

/** Maximum time by which a stored time may be in the future. A later one was stored by a clock that was ahead. */
const MAX_AHEAD_MS = 5 * MINUTE_MS;

/**
 * Acquires a scheduled run for one process: resolves to true for the first call with that time. Refuses earlier times, unless the stored one comes
 * from a clock that was ahead.
 */
export async function acquireScheduleRun(db: Db, name: string, scheduledAtMs: number): Promise<boolean> {
  const result = await db
    .insertInto("schedule_runs")
    .values({ name, scheduled_at: scheduledAtMs })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({ scheduled_at: scheduledAtMs })
        .where((where) =>
          where.or([
            where("schedule_runs.scheduled_at", "<", scheduledAtMs),
            where("schedule_runs.scheduled_at", ">", scheduledAtMs + MAX_AHEAD_MS),
          ]),
        ),
    )
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}
