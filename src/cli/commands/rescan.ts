import type { Ctx } from "../../context.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { THIS_MACHINE } from "../../service/accounts/administrator.ts";
import { type RescanReport, rescanFailed, rescan as rescanNamed } from "../../service/scanning/rescan.ts";
import { changeNamed } from "../change-named.ts";
import { defineCommand, type Result } from "../command.ts";
import { UsageError } from "../failure.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { alignColumns } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

export const rescan = defineCommand({
  details:
    "The running server scans the files. A file can be downloaded when the scan passes; a file in quarantine returns there if malware is found again.",
  args: { ID: { optional: true, many: true, help: "IDs of files, or short IDs or links of shares" } },
  options: { "all-failed": { kind: "flag", help: "All files whose scan failed (the default without an ID)" } },
  settings: [...DATA_SETTINGS, "SCANNER", "CLAMD"],
  examples: ["filehost rescan 4kTqW9xZ", "filehost rescan 5hQ2vR8kLm3xTz0B 4kTqW9xZ", "filehost rescan --all-failed"],
  async run({ args: { ID }, options, load }) {
    if (ID.length > 0 && options["all-failed"]) throw new UsageError("Pass an ID or --all-failed, not both.", "filehost rescan --help");
    return ID.length === 0
      ? toResult(await withApp(await load(), (ctx) => rescanFailed(ctx, THIS_MACHINE)))
      : await withApp(await load(), (ctx) => rescanEach(ctx, ID));
  },
});

async function rescanEach(ctx: Ctx, names: readonly string[]): Promise<Result> {
  const { done, refused, only, problems, exitCode } = await changeNamed(names, (id) => rescanNamed(ctx, THIS_MACHINE, id));
  const report = { queued: done.flatMap(({ queued }) => queued), skipped: done.flatMap(({ skipped }) => skipped) };
  const result = toResult(report);
  return {
    ...result,
    data: only ?? { ...report, refused },
    important: problems,
    exitCode: exitCode || (report.queued.length === 0 ? 6 : 0),
  };
}

function toResult(report: RescanReport): Result {
  const rows = [
    ...report.queued.map((file) => ["queued", file.id, file.name, ""]),
    ...report.skipped.map((file) => ["skipped", file.id, file.name, file.reason]),
  ];
  return { data: report, text: alignColumns(rows), notes: [`${countOf(report.queued.length, "file")} queued. The server scans them.`] };
}
