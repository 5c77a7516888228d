import { rescanFailed, rescan as rescanNamed } from "../../service/scanning/rescan.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns, countOf, toId } from "../text.ts";
import { withApp } from "../with-app.ts";

export const rescan = defineCommand({
  name: "rescan",
  summary: "Scan files for malware again",
  details:
    "The running server scans the files. A file can be downloaded when the scan passes; a file in quarantine returns there if malware is found again.",
  args: { ID: { optional: true, help: "A file's ID, or a share's short ID or link" } },
  options: { "all-failed": { kind: "flag", help: "All files whose scan failed (the default without an ID)" } },
  settings: [...DATA_SETTINGS, "SCANNER", "CLAMD"],
  examples: ["filehost rescan 4kTqW9xZ", "filehost rescan --all-failed"],
  async run({ args: { ID }, options, load }) {
    if (ID !== undefined && options["all-failed"]) throw new UsageError("Pass an ID or --all-failed, not both.", "filehost rescan --help");
    const report = await withApp(load(), (ctx) => (ID === undefined ? rescanFailed(ctx) : rescanNamed(ctx, toId(ID))));
    const rows = [
      ...report.queued.map((file) => ["queued", file.id, file.name, ""]),
      ...report.skipped.map((file) => ["skipped", file.id, file.name, file.reason]),
    ];
    const notes = [`${countOf(report.queued.length, "file")} queued. The server scans them.`];
    return { data: report, text: alignColumns(rows), notes, exitCode: ID !== undefined && report.queued.length === 0 ? 6 : 0 };
  },
});
