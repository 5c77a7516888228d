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
  options: { "dry-run": { kind: "flag", help: "Count what would change, without changing it" } },
  settings: DATA_SETTINGS,
  examples: ["filehost cleanup --dry-run", "filehost cleanup"],
  async run({ options, load }) {
    const report = await withApp(load(), (ctx) => cleanUp(ctx, { dryRun: options["dry-run"] }));
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
      notes: options["dry-run"] ? ["Dry run: nothing was changed."] : [],
    };
  },
});
