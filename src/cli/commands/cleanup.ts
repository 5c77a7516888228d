import { describeDoubt } from "../../lib/clock-doubt.ts";
import { cleanUp } from "../../service/maintenance/run-cleanup.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns } from "../text.ts";
import { withApp } from "../with-app.ts";

export const cleanup = defineCommand({
  name: "cleanup",
  summary: "Remove expired files, idle uploads and orphans",
  details:
    "A running server does the same every 30 seconds, and every hour for orphans. Only this command removes unknown files among the blobs on disk; it keeps hidden files and folders.",
  options: {
    "dry-run": { kind: "flag", help: "Count what would change, without changing it" },
    "trust-clock": { kind: "flag", help: "Use this machine's clock, even if it was set or the server has not run for long" },
  },
  settings: DATA_SETTINGS,
  examples: ["filehost cleanup --dry-run", "filehost cleanup"],
  async run({ options, load }) {
    const trustsClock = options["trust-clock"];
    const { report, doubt } = await withApp(load(), async (ctx) => {
      const report = await cleanUp(ctx, { dryRun: options["dry-run"], trustsClock });
      return { report, doubt: trustsClock ? undefined : ctx.clock.doubt() };
    });
    const rows = [
      [String(report.expired), "shares expired"],
      [String(report.removedFiles), "files whose bytes were removed"],
      [String(report.uploads), "idle uploads aborted"],
      [String(report.orphans), "orphans removed"],
      [String(report.deletedRows), "old file records deleted"],
    ];
    return {
      data: report,
      text: alignColumns(rows),
      notes: [
        ...(options["dry-run"] ? ["Dry run: nothing was changed."] : []),
        ...(doubt ? [`${describeDoubt(doubt)} If the clock is right: filehost cleanup --trust-clock`] : []),
      ],
    };
  },
});
