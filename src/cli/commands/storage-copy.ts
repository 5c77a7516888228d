import { countOf } from "../../lib/text/count-of.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import type { CopyReport } from "../../service/maintenance/copy-storage/copy-stats.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { describeProgress, showWhile } from "../terminal/progress.ts";
import { alignColumns } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

const STORES = ["disk", "s3"] as const;
const MAX_PARALLEL = 64;

export const storageCopy = defineCommand({
  details: `The disk store is the folder FILEHOST_DATA, the S3 store is the bucket of the settings FILEHOST_S3_…. Set both, and leave FILEHOST_STORAGE as it is.

1. Run this command while the server runs, as often as you like. It skips copied files, resumes after an interruption, and verifies each copy's SHA-256.
2. Stop the server, and run this command again to copy new files.
3. Set FILEHOST_STORAGE to the other store, and start the server. Unfinished uploads must start again.

Files whose bytes are missing or damaged at the source are listed and skipped. Files deleted since the last copy are removed from the target;
nothing is removed from the source.

Exit code: 0 if the target has every file, 1 if some were not copied, 5 if the target is full, 6 if another copy is running, 8 if a store does not
respond (run the command again).`,
  options: {
    from: { kind: "text", value: "STORE", help: "The source store", choices: STORES, required: true },
    to: { kind: "text", value: "STORE", help: "The target store", choices: STORES, required: true },
    parallel: {
      kind: "text",
      value: "COUNT",
      help: `Files to copy at the same time, up to ${MAX_PARALLEL}; a large file uses up to 80 MB of memory`,
      default: "4",
    },
    verify: { kind: "flag", help: "Verify every file at the target again, including those already verified" },
    "dry-run": { kind: "flag", help: "Count what would change, without changing it" },
  },
  settings: [...DATA_SETTINGS.filter((name) => name !== "STORAGE"), "MIN_FREE"],
  examples: [
    "filehost storage copy --from disk --to s3 --dry-run",
    "FILEHOST_S3_BUCKET=files filehost storage copy --from disk --to s3",
    "filehost storage copy --from s3 --to disk --parallel 16",
  ],
  async run({ options, load, terminal }) {
    const parallel = /^[1-9]\d?$/.test(options.parallel) ? Number(options.parallel) : 0;
    if (parallel < 1 || parallel > MAX_PARALLEL)
      throw new UsageError(`--parallel must be a number from 1 to ${MAX_PARALLEL}.`, "filehost storage copy --help");
    const { copyStorage } = await import("../../service/maintenance/copy-storage/copy-storage.ts");
    const report = await withApp(await load(), (ctx) =>
      showWhile(terminal, (show) =>
        copyStorage(ctx, { ...options, dryRun: options["dry-run"], parallel, onStart: (progress) => show(describeProgress(progress)) }),
      ),
    );
    return { data: report, text: toText(report), notes: toNotes(report), exitCode: report.failed > 0 ? 1 : 0 };
  },
});

function toText(report: CopyReport): string {
  const { copied, present, verified, moved, deletedMeanwhile, removed, unknown, failed, failures } = report;
  const rows: [number, string][] = [
    [copied.files, `${report.dryRun ? "to copy" : "copied and verified"} (${formatSize(copied.bytes)})`],
    [present.files, `already at the target (${formatSize(present.bytes)})`],
    [verified.files, `already at the target, verified again (${formatSize(verified.bytes)})`],
    [moved, "moved to or from quarantine"],
    [deletedMeanwhile, "deleted during the copy"],
    [removed, "removed from the target because they were deleted"],
    [unknown, "unknown at the target, kept"],
    [failed, "NOT copied"],
  ];
  const counted = rows.filter(([count], index) => count > 0 || index === 0).map(([count, what]) => [String(count), what]);
  return alignColumns(counted) + alignColumns(failures.map(({ fileId, reason }) => ["failed", fileId, reason]));
}

function toNotes({ from, to, dryRun, failed, unfinishedUploads, unknown }: CopyReport): string[] {
  const notes: string[] = [];
  if (dryRun) notes.push("Dry run: nothing was changed.");
  if (failed > 0)
    notes.push(
      `${countOf(failed, "file")} not copied and unchanged in ${from}. Check them with \`filehost audit\`, fix the cause, and run this command again.`,
    );
  if (unfinishedUploads > 0)
    notes.push(`${countOf(unfinishedUploads, "unfinished upload")} in ${from}: not copied, and must start again after a change to ${to}.`);
  if (unknown > 0)
    notes.push(
      `Check the unknown bytes with \`filehost audit\` once FILEHOST_STORAGE is ${to}. If they are not of another server: \`filehost storage adopt\`, then \`filehost cleanup --orphans\`.`,
    );
  return notes;
}
