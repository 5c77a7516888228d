import type { JobRow } from "../db/tables/jobs.ts";
import { withTimeout } from "../lib/concurrency/with-timeout.ts";
import { randomFraction } from "../lib/secrets/ids.ts";
import type { JobCtx } from "./context.ts";
import { type BusySlots, leaseForSlots } from "./fair-jobs.ts";
import { LEASE_MS } from "./instances.ts";
import { backoffMs, type JobKind } from "./job.ts";
import { findNextDue, finishJob, releaseJob, renewJobs } from "./queue.ts";

/** Interval of checks for due jobs, which another process may have added. */
const MAX_SLEEP_MS = 1_000;

export interface JobRunner {
  /** Checks for due jobs now. */
  wake(): void;
  /** Leases no more jobs, signals running ones, waits for them up to `timeoutMs`, and returns the rest to the queue. */
  drain(timeoutMs: number): Promise<void>;
}

/** Runs due jobs of the given kinds. Jobs are leased in the database, so each runs in one server instance at a time and survives a crash. */
export function startJobRunner<C extends JobCtx>(ctx: C, kinds: readonly JobKind<C>[]): JobRunner {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  const busy = new Map<JobKind<C>, BusySlots>(kinds.map((kind) => [kind, { all: 0, large: 0, wasLarge: false }]));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let checking: Promise<void> | undefined;
  let checkAgain = false;

  const startAllDue = async (): Promise<void> => {
    let sleepMs = MAX_SLEEP_MS;
    for (const [kind, slots] of busy) {
      sleepMs = Math.min(sleepMs, await startDue(kind, slots));
    }
    if (!stopping.signal.aborted) timer = setTimeout(wake, sleepMs);
  };

  const startDue = async (kind: JobKind<C>, busy: BusySlots): Promise<number> => {
    const nowMs = ctx.now();
    const slots = kind.slots(ctx);
    const due = slots.total > busy.all ? await findNextDue(ctx.db, { kind: kind.name, nowMs }) : undefined;
    if (due === undefined || stopping.signal.aborted) return MAX_SLEEP_MS;
    if (due > nowMs) return Math.max(due - nowMs, 1);
    for (const job of await leaseForSlots(ctx, { kind: kind.name, slots, busy, nowMs })) start(kind, busy, job);
    return MAX_SLEEP_MS;
  };

  const start = (kind: JobKind<C>, busy: BusySlots, job: JobRow): void => {
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
    if (checking) {
      checkAgain = true;
      return;
    }
    checking = startAllDue()
      .catch((error: unknown) => {
        ctx.log.error({ err: error }, "leasing jobs failed");
        timer = setTimeout(wake, MAX_SLEEP_MS);
      })
      .finally(() => {
        checking = undefined;
        if (!checkAgain) return;
        checkAgain = false;
        wake();
      });
  };

  const renewal = setInterval(() => {
    if (running.size === 0) return;
    renewJobs(ctx.db, { holder: ctx.instanceId, nowMs: ctx.now(), leaseMs: LEASE_MS }).catch((error: unknown) =>
      ctx.log.error({ err: error }, "renewing the jobs' leases failed"),
    );
  }, LEASE_MS / 3);

  wake();
  return {
    wake,
    async drain(timeoutMs) {
      stopping.abort();
      clearTimeout(timer);
      clearInterval(renewal);
      await checking;
      await withTimeout(Promise.allSettled(running.values()), timeoutMs, () => undefined);
      for (const id of running.keys())
        await releaseJob(ctx.db, { id, holder: ctx.instanceId, runAtMs: ctx.now(), nowMs: ctx.now(), error: null, keepsAttempts: false });
    },
  };
}

async function runJob<C extends JobCtx>(ctx: C, kind: JobKind<C>, job: JobRow, signal: AbortSignal): Promise<void> {
  const holder = ctx.instanceId;
  const log = ctx.log.child({ job: kind.name, subject: job.subject, attempt: job.attempts });
  try {
    const outcome = await kind.run({ ...ctx, log }, job, signal);
    if (outcome.kind === "done") await finishJob(ctx.db, { id: job.id, holder });
    else {
      const { atMs: runAtMs, reason: error = null, awaits } = outcome;
      await releaseJob(ctx.db, { id: job.id, holder, runAtMs, nowMs: ctx.now(), error, keepsAttempts: true, awaits });
    }
  } catch (error) {
    const wasDrained = signal.aborted;
    const runAtMs = wasDrained ? ctx.now() : ctx.now() + backoffMs(job.attempts, randomFraction(ctx.random));
    if (!wasDrained) log.error({ err: error }, "job failed; retrying later");
    await releaseJob(ctx.db, {
      id: job.id,
      holder,
      runAtMs,
      nowMs: ctx.now(),
      error: error instanceof Error ? error.message : String(error),
      keepsAttempts: !wasDrained,
    }).catch((released: unknown) => log.error({ err: released }, "releasing a job failed; its lease will expire"));
  }
}
