import { cleanUp } from "../../operations/admin/clean-up.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns } from "../text.ts";
import { withApp } from "../with-app.ts";

export const cleanup = defineCommand({
  name: "cleanup",
  summary: "Remove what has expired, was given up, or belongs to nothing",
  details:
    "A server does the same by itself: each minute, and each hour for bytes that no file has. What a hand left among the blobs on disk goes by this command alone; hidden files and folders stay.",
  options: { "dry-run": { kind: "flag", help: "Count what there is to do, and change nothing" } },
  settings: DATA_SETTINGS,
  examples: ["filehost cleanup --dry-run", "filehost cleanup"],
  async run({ options, load }) {
    const report = await withApp(load(), (ctx) => cleanUp(ctx, { dryRun: options["dry-run"] }));
    const rows = [
      [String(report.expired), "shares whose time was over"],
      [String(report.purged), "files whose bytes went"],
      [String(report.uploads), "uploads that nobody went on with"],
      [String(report.orphans), "blobs that no file had"],
      [String(report.forgotten), "records of files that went 30 days ago"],
    ];
    return {
      data: report,
      text: alignColumns(rows),
      notes: options["dry-run"] ? ["Nothing was changed: this is what there is to do."] : [],
    };
  },
});
