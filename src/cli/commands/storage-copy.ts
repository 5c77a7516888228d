import type { CopyReport } from "../../operations/storage/copy-tally.ts";
import { defineCommand } from "../command.ts";
import { describeProgress, showWhile } from "../progress.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns, countOf, formatBytes } from "../text.ts";
import { UsageError } from "../usage-error.ts";
import { withApp } from "../with-app.ts";

const STORES = ["disk", "s3"] as const;
const MAX_PARALLEL = 64;

export const storageCopy = defineCommand({
  name: "storage copy",
  summary: "Copy the bytes of all files to another store, to change FILEHOST_STORAGE without losing one",
  details: `The disk store is in the folder of FILEHOST_DATA, the S3 store is what the settings FILEHOST_S3_… name: set both, and leave FILEHOST_STORAGE as it is.

Run it while the server serves, as often as you like: what is at the target already is not copied again, and after an interruption it goes on where it
was. Each file is read back and held against its SHA-256. Then stop the server, run it once more for what is new, set FILEHOST_STORAGE to the other store,
and start. Uploads that have not ended by then have to begin again; their senders are told so.

Files whose bytes are missing or wrong at the source are listed and not copied, the others are. What the target has of files that were deleted since
is removed there; nothing is ever removed at the source.

Exit code 0 where the target has every file, 1 where some could not be copied, 5 where it is full, 6 where another copy runs, 8 where a store does
not answer: run it again then.`,
  options: {
    from: { kind: "text", value: "STORE", help: "Where the bytes are", choices: STORES, required: true },
    to: { kind: "text", value: "STORE", help: "Where they are to be too", choices: STORES, required: true },
    parallel: {
      kind: "text",
      value: "COUNT",
      help: `How many files at a time, up to ${MAX_PARALLEL}; a large one may take 80 MB of memory`,
      standard: "4",
    },
    verify: { kind: "flag", help: "Read every file at the target again, also those that an earlier copy has verified" },
    "dry-run": { kind: "flag", help: "Count what there is to do, and change nothing" },
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
      throw new UsageError(`--parallel is a number from 1 to ${MAX_PARALLEL}.`, "filehost storage copy --help");
    const { copyStorage } = await import("../../operations/storage/copy-storage.ts");
    const report = await withApp(load(), (ctx) =>
      showWhile(terminal, (show) =>
        copyStorage(ctx, { ...options, dryRun: options["dry-run"], parallel, onStart: (progress) => show(describeProgress(progress)) }),
      ),
    );
    return { data: report, text: toText(report), notes: toNotes(report), exitCode: report.failed > 0 ? 1 : 0 };
  },
});

function toText(report: CopyReport): string {
  const { copied, present, verified, moved, gone, removed, unknown, failed, failures } = report;
  const rows: [number, string][] = [
    [copied.files, `${report.dryRun ? "to copy" : "copied and read back"} (${formatBytes(copied.bytes)})`],
    [present.files, `there already (${formatBytes(present.bytes)})`],
    [verified.files, `there already and read again (${formatBytes(verified.bytes)})`],
    [moved, "put into quarantine or out of it"],
    [gone, "deleted while they were copied"],
    [removed, "removed at the target, since they were deleted"],
    [unknown, "at the target that no file has, left alone"],
    [failed, "NOT copied"],
  ];
  const counted = rows.filter(([count], index) => count > 0 || index === 0).map(([count, what]) => [String(count), what]);
  return alignColumns(counted) + alignColumns(failures.map(({ fileId, reason }) => ["failed", fileId, reason]));
}

function toNotes({ from, to, dryRun, failed, uploadsUnderWay, unknown }: CopyReport): string[] {
  const notes: string[] = [];
  if (dryRun) notes.push("Nothing was changed: this is what there is to do.");
  if (failed > 0)
    notes.push(
      `${countOf(failed, "file")} not copied, and as before in ${from}. \`filehost audit\` may say more; run this again when it is mended.`,
    );
  if (uploadsUnderWay > 0)
    notes.push(
      `${countOf(uploadsUnderWay, "upload")} not complete: they stay in ${from}, and would have to begin again after a change to ${to}.`,
    );
  if (unknown > 0) notes.push(`What no file has goes with \`filehost cleanup\`, once FILEHOST_STORAGE is ${to}.`);
  return notes;
}
