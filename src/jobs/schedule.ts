import { Cron } from "croner";
import type { JobCtx } from "./context.ts";
import { claimScheduleRun } from "./queue.ts";

/** Work that runs by the clock. */
export interface Scheduled<C extends JobCtx = JobCtx> {
  readonly name: string;
  /** A cron pattern, in UTC. */
  readonly pattern: string;
  /** `one`, the default: one of the processes that share the database runs each slot. `each`: every process does. */
  readonly processes?: "one" | "each";
  readonly run: (ctx: C) => Promise<void>;
}

/**
 * Runs each task at its times. One process claims each slot; while a run continues, its process skips slots. `stop` resolves when running
 * tasks have ended.
 */
export function startSchedule<C extends JobCtx>(ctx: C, schedule: readonly Scheduled<C>[]): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  const crons = schedule.map(
    (task) =>
      // UTC by its offset: by its name, the runtime loads all time zones, which takes 20 ms of each start.
      new Cron(task.pattern, { utcOffset: 0, protect: true, unref: true }, async (self) => {
        const slotMs = self.currentRun()?.setMilliseconds(0) ?? ctx.now();
        const run = runSlot(ctx, task, slotMs);
        running.add(run);
        await run.finally(() => running.delete(run));
      }),
  );
  return {
    async stop() {
      for (const cron of crons) cron.stop();
      await Promise.allSettled(running);
    },
  };
}

async function runSlot<C extends JobCtx>(ctx: C, task: Scheduled<C>, slotMs: number): Promise<void> {
  try {
    if (task.processes === "each" || (await claimScheduleRun(ctx.db, task.name, slotMs))) await task.run(ctx);
  } catch (error) {
    ctx.log.error({ err: error, schedule: task.name }, "scheduled job failed; it runs again at its next time");
  }
}
