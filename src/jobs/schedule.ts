import { runCleanup } from "./cleanup/run-cleanup.ts";
import type { Scheduled } from "./cron.ts";
import { wakeScans } from "./wake-scans.ts";

/** What comes round by the clock. */
export const schedule: readonly Scheduled[] = [
  {
    name: "cleanup",
    pattern: "*/30 * * * * *",
    async run(ctx) {
      const report = await runCleanup(ctx, { orphans: "none" });
      if (Object.values(report).some((count) => count > 0)) ctx.log.info(report, "cleaned up");
    },
  },
  {
    name: "orphans",
    pattern: "17 23 * * * *",
    async run(ctx) {
      const report = await runCleanup(ctx, { orphans: "blobs" });
      if (report.orphans > 0) ctx.log.warn({ orphans: report.orphans }, "removed bytes that no file had");
    },
  },
  {
    name: "find-scanner",
    pattern: "43 * * * * *",
    processes: "each",
    run: (ctx) => ctx.scanner.lookAgain(),
  },
  {
    name: "wake-scans",
    pattern: "*/5 * * * * *",
    processes: "each",
    run: wakeScans,
  },
];
