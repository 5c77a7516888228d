import type { Ctx } from "../context.ts";
import { LEASE_MS } from "../db/instances.ts";
import { findNextDue, finishJob, releaseJob, renewJobs } from "../db/jobs.ts";
import type { JobRow } from "../db/tables/processes.ts";
import { type BusySlots, claimForSlots } from "./claim-for-slots.ts";
import { backoffMs, type JobKind } from "./job.ts";

/** How long the runner sleeps at most before it looks again: another process may have added a job. */
const LONGEST_SLEEP_MS = 1_000;

export interface JobRunner {
  /** Says that a job may be due. */
  wake(): void;
  /** Takes no more jobs, tells those that run, waits for them at most `graceMs`, and puts the rest back. */
  drain(graceMs: number): Promise<void>;
}

/** Runs due jobs of the given kinds: leased in the database, so that each runs in one process at a time and outlives a crash. */
export function startJobRunner(ctx: Ctx, kinds: readonly JobKind[]): JobRunner {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  const busy = new Map<JobKind, BusySlots>(kinds.map((kind) => [kind, { all: 0, large: 0, wasLarge: false }]));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  const look = async (): Promise<void> => {
    let sleepMs = LONGEST_SLEEP_MS;
    for (const [kind, slots] of busy) {
      sleepMs = Math.min(sleepMs, await startDue(kind, slots));
    }
    if (!stopping.signal.aborted) timer = setTimeout(wake, sleepMs);
  };

  const startDue = async (kind: JobKind, busy: BusySlots): Promise<number> => {
    const nowMs = ctx.now();
    const slots = kind.slots(ctx);
    const due = slots.total > busy.all ? await findNextDue(ctx.db, { kind: kind.name, nowMs }) : undefined;
    if (due === undefined || stopping.signal.aborted) return LONGEST_SLEEP_MS;
    if (due > nowMs) return Math.max(due - nowMs, 1);
    for (const job of await claimForSlots(ctx, { kind: kind.name, slots, busy, nowMs })) start(kind, busy, job);
    return LONGEST_SLEEP_MS;
  };

  const start = (kind: JobKind, busy: BusySlots, job: JobRow): void => {
    busy.all += 1;
    busy.large += job.is_large;
    busy.wasLarge = job.is_large === 1;
    const run = runJob(ctx, kind, job, stopping.signal).finally(() => {
      running.delete(job.id);
      busy.all -= 1;
      busy.large -= job.is_large;
      wake();
    });
    running.set(job.id, run);
  };

  const wake = (): void => {
    clearTimeout(timer);
    if (stopping.signal.aborted) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = look()
      .catch((error: unknown) => {
        ctx.log.error({ err: error }, "looking for jobs failed");
        timer = setTimeout(wake, LONGEST_SLEEP_MS);
      })
      .finally(() => {
        looking = undefined;
        if (!lookAgain) return;
        lookAgain = false;
        wake();
      });
  };

  const renewal = setInterval(() => {
    if (running.size === 0) return;
    renewJobs(ctx.db, { holder: ctx.instanceId, nowMs: ctx.now(), leaseMs: LEASE_MS }).catch((error: unknown) =>
      ctx.log.error({ err: error }, "renewing leases failed"),
    );
  }, LEASE_MS / 3);

  wake();
  return {
    wake,
    async drain(graceMs) {
      stopping.abort();
      clearTimeout(timer);
      clearInterval(renewal);
      await looking;
      let graceTimer: ReturnType<typeof setTimeout> | undefined;
      const grace = new Promise<void>((resolve) => {
        graceTimer = setTimeout(resolve, graceMs);
      });
      await Promise.race([Promise.allSettled(running.values()), grace]);
      clearTimeout(graceTimer);
      for (const id of running.keys())
        await releaseJob(ctx.db, { id, holder: ctx.instanceId, runAtMs: ctx.now(), error: null, keepAttempts: false });
    },
  };
}

async function runJob(ctx: Ctx, kind: JobKind, job: JobRow, signal: AbortSignal): Promise<void> {
  const holder = ctx.instanceId;
  const log = ctx.log.child({ job: kind.name, subject: job.subject, attempt: job.attempts });
  try {
    const outcome = await kind.run({ ...ctx, log }, job, signal);
    if (outcome.kind === "done") await finishJob(ctx.db, { id: job.id, holder });
    else {
      const { atMs: runAtMs, reason: error, awaits } = outcome;
      await releaseJob(ctx.db, { id: job.id, holder, runAtMs, error, keepAttempts: true, awaits });
    }
  } catch (error) {
    const wasDrained = signal.aborted;
    const runAtMs = wasDrained ? ctx.now() : ctx.now() + backoffMs(job.attempts, Math.random());
    if (!wasDrained) log.error({ err: error }, "job failed; it will be tried again");
    await releaseJob(ctx.db, {
      id: job.id,
      holder,
      runAtMs,
      error: error instanceof Error ? error.message : String(error),
      keepAttempts: !wasDrained,
    }).catch((released: unknown) => log.error({ err: released }, "putting the job back failed; its lease will lapse"));
  }
}
