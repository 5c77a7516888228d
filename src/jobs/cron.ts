import { Cron } from "croner";
import type { Ctx } from "../context.ts";
import { takeCronSlot } from "../db/jobs.ts";

/** Work that comes round by the clock. */
export interface Scheduled {
  readonly name: string;
  /** A cron pattern, in UTC. */
  readonly pattern: string;
  /** `one`, the default: one of the processes that share the database runs a slot. `each`: every process does. */
  readonly processes?: "one" | "each";
  run(ctx: Ctx): Promise<void>;
}

/**
 * Runs each piece at its times: one process takes each slot, however many share the database, and while a run still goes on its
 * process leaves slots out. `stop` resolves when what runs has ended.
 */
export function startSchedule(ctx: Ctx, schedule: readonly Scheduled[]): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  const crons = schedule.map(
    (piece) =>
      new Cron(piece.pattern, { timezone: "UTC", protect: true, unref: true }, async (self) => {
        const slotMs = self.currentRun()?.setMilliseconds(0) ?? ctx.now();
        const run = runSlot(ctx, piece, slotMs);
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

async function runSlot(ctx: Ctx, piece: Scheduled, slotMs: number): Promise<void> {
  try {
    if (piece.processes === "each" || (await takeCronSlot(ctx.db, piece.name, slotMs))) await piece.run(ctx);
  } catch (error) {
    ctx.log.error({ err: error, schedule: piece.name }, "scheduled work failed; it runs again at its next time");
  }
}
