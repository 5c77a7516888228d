import { Cron } from "croner";
import type { JobCtx } from "./context.ts";
import { acquireScheduleRun } from "./queue.ts";

/** Work that runs at scheduled times. */
export interface Scheduled<C extends JobCtx = JobCtx> {
  readonly name: string;
  /** A cron pattern, in UTC. */
  readonly pattern: string;
  /** `one`, the default: one of the instances that share the database runs it at each time. `each`: every instance does. */
  readonly instances?: "one" | "each";
  /** Runs the task. `signal` fires when the server stops. */
  readonly run: (ctx: C, signal: AbortSignal) => Promise<void>;
}

/**
 * Runs each task at its times. One instance acquires each run, and skips later times while the run continues. `stop` aborts running tasks and
 * resolves when they have ended.
 */
export function startSchedule<C extends JobCtx>(ctx: C, schedule: readonly Scheduled<C>[]): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const crons = schedule.map(
    (task) =>
      // Gives UTC as an offset, because with its name the runtime loads all time zones, which takes 20 ms of each start.
      new Cron(task.pattern, { utcOffset: 0, protect: true, unref: true }, async (self) => {
        const scheduledAtMs = self.currentRun()?.setMilliseconds(0) ?? ctx.now();
        const run = runTask(ctx, task, { scheduledAtMs, signal: stopping.signal });
        running.add(run);
        await run.finally(() => running.delete(run));
      }),
  );
  return {
    async stop() {
      for (const cron of crons) cron.stop();
      stopping.abort();
      await Promise.allSettled(running);
    },
  };
}

async function runTask<C extends JobCtx>(
  ctx: C,
  task: Scheduled<C>,
  { scheduledAtMs, signal }: { readonly scheduledAtMs: number; readonly signal: AbortSignal },
): Promise<void> {
  try {
    if (task.instances === "each" || (await acquireScheduleRun(ctx.db, task.name, scheduledAtMs))) await task.run(ctx, signal);
  } catch (error) {
    ctx.log.error({ err: error, schedule: task.name }, "scheduled task failed; it runs again at its next time");
  }
}
