import { rescanFailed, rescan as rescanNamed } from "../../operations/admin/rescan.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns, countOf } from "../text.ts";
import { toId } from "../to-id.ts";
import { UsageError } from "../usage-error.ts";
import { withApp } from "../with-app.ts";

export const rescan = defineCommand({
  name: "rescan",
  summary: "Have files checked for malware again, by the server",
  details:
    "A file can be downloaded again once the new check has found it clean. One that was blocked as malware is taken out of quarantine for the check, and goes back where it is found again.",
  args: { ID: { optional: true, help: "A file's id, or a share's short id or link" } },
  options: { "all-failed": { kind: "flag", help: "All files whose check could not finish: also without an ID" } },
  settings: [...DATA_SETTINGS, "SCANNER", "CLAMD"],
  examples: ["filehost rescan 4kTqW9xZ", "filehost rescan --all-failed"],
  async run({ args: { ID }, options, load }) {
    if (ID !== undefined && options["all-failed"])
      throw new UsageError("Name one file or share, or say --all-failed, not both.", "filehost rescan --help");
    const report = await withApp(load(), (ctx) => (ID === undefined ? rescanFailed(ctx) : rescanNamed(ctx, toId(ID))));
    const rows = [
      ...report.queued.map((file) => ["queued", file.id, file.name, ""]),
      ...report.skipped.map((file) => ["skipped", file.id, file.name, file.reason]),
    ];
    const notes = [`${countOf(report.queued.length, "file")} will be checked by the server.`];
    return { data: report, text: alignColumns(rows), notes, exitCode: ID !== undefined && report.queued.length === 0 ? 6 : 0 };
  },
});
