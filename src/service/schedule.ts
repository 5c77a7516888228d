import type { Ctx } from "../context.ts";
import type { Scheduled } from "../jobs/schedule.ts";
import { syncDueSubscriptions } from "./billing/subscriptions.ts";
import { correctTimes } from "./maintenance/future-times.ts";
import { runCleanup } from "./maintenance/run-cleanup.ts";
import { readNightly } from "./maintenance/stored-digests.ts";
import { atCheckedTime } from "./maintenance/trusted-time.ts";
import { endPointlessCheckouts } from "./purchases/end-checkouts.ts";
import { settleOverdue } from "./purchases/settle.ts";
import { wakeScans } from "./scanning/scan-job.ts";
import { keepStorePair } from "./storage/store-pair.ts";
import { recordFigures } from "./system/record-figures.ts";

/** Scheduled work. Patterns begin with seconds and are in UTC. */
export const schedule: readonly Scheduled<Ctx>[] = [
  {
    name: "watch-clock",
    pattern: "*/15 * * * * *",
    instances: "each",
    async run(ctx) {
      await ctx.clock.record();
      if (ctx.clock.wasAhead() !== "no") await correctTimes(ctx);
    },
  },
  {
    name: "cleanup",
    pattern: "*/30 * * * * *",
    async run(ctx) {
      const { stopped: _, ...report } = await runCleanup(await atCheckedTime(ctx), { orphans: "none" });
      if (Object.values(report).some((count) => count > 0)) ctx.log.info(report, "cleanup finished");
    },
  },
  {
    name: "record-figures",
    pattern: "29 */10 * * * *",
    run: async (ctx) => await recordFigures(await atCheckedTime(ctx)),
  },
  {
    name: "record-downloads",
    pattern: "*/10 * * * * *",
    instances: "each",
    run: (ctx) => ctx.unrecorded.record(ctx),
  },
  {
    name: "orphans",
    pattern: "17 23 * * * *",
    async run(ctx) {
      const { orphans, stopped } = await runCleanup(await atCheckedTime(ctx), { orphans: "old" });
      if (orphans > 0) ctx.log.warn({ orphans }, "orphans removed");
      if (stopped !== undefined) ctx.log.error({ reason: stopped }, "nothing is removed from the file store");
    },
  },
  {
    name: "read-stored-bytes",
    pattern: "41 17 2 * * *",
    run: readNightly,
  },
  {
    name: "keep-store-pair",
    pattern: "11 * * * * *",
    run: keepStorePair,
  },
  {
    name: "correct-times",
    pattern: "31 */10 * * * *",
    run: correctTimes,
  },
  {
    name: "settle-checkouts",
    pattern: "37 * * * * *",
    run: settleOverdue,
  },
  {
    name: "end-checkouts",
    pattern: "*/20 * * * * *",
    run: async (ctx) => await endPointlessCheckouts(await atCheckedTime(ctx)),
  },
  {
    name: "read-subscriptions",
    pattern: "53 */10 * * * *",
    run: syncDueSubscriptions,
  },
  {
    name: "find-scanner",
    pattern: "43 * * * * *",
    instances: "each",
    run: (ctx) => ctx.scanner.rediscover(),
  },
  {
    name: "wake-scans",
    pattern: "*/5 * * * * *",
    instances: "each",
    run: wakeScans,
  },
];
