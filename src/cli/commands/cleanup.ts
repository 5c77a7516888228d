import type { Ctx } from "../../context.ts";
import { describeDoubt } from "../../lib/system/clock-doubt.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { checkMayRemove, countOrphans, type OrphanCounts } from "../../service/maintenance/remove-orphans.ts";
import { cleanUp } from "../../service/maintenance/run-cleanup.ts";
import { countUnknownBlobs } from "../../service/maintenance/unknown-bytes.ts";
import { defineCommand, type Terminal } from "../command.ts";
import { confirmIrreversible, IRREVERSIBLE_OPTIONS } from "../options/irreversible.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { alignColumns } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

export const cleanup = defineCommand({
  details: `A running server does the same every 30 seconds, and every hour for orphans: bytes that no file has. They are removed once they have been known for 7 days, or for FILEHOST_QUARANTINE_DAYS if that is longer, and staged bytes after an hour; at most one in a hundred blobs in one run.

--orphans removes all of them immediately, and files on disk that are not filehost's among the blobs, but not hidden ones. It says what it would remove, and asks.

Nothing is removed while the store and the database do not belong together: see filehost storage adopt.`,
  options: {
    "dry-run": { kind: "flag", help: "Count what would change, without changing it" },
    orphans: { kind: "flag", help: "Remove all orphans now, however new" },
    yes: { ...IRREVERSIBLE_OPTIONS.yes, help: "With --orphans: do not ask; required where nobody can be asked" },
    "trust-clock": { kind: "flag", help: "Use this machine's clock, even if it was set or the server has not run for long" },
  },
  settings: [...DATA_SETTINGS, "QUARANTINE_DAYS"],
  examples: ["filehost cleanup --dry-run", "filehost cleanup", "filehost cleanup --orphans"],
  async run({ options, load, terminal }) {
    const { "dry-run": dryRun, "trust-clock": trustsClock } = options;
    const { report, waiting, doubt } = await withApp(await load(), async (ctx) => {
      if (options.orphans && !dryRun && !options.yes) await confirmRemoval(ctx, options, terminal);
      const report = await cleanUp(ctx, { dryRun, orphans: options.orphans ? "all" : "old", trustsClock });
      return { report, waiting: await countUnknownBlobs(ctx), doubt: trustsClock ? undefined : ctx.clock.doubt() };
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
      important: report.stopped === undefined ? [] : [report.stopped],
      notes: [
        ...(dryRun ? ["Dry run: nothing was changed."] : []),
        ...(waiting > 0 ? [`${countOf(waiting, "orphan")} kept for now. List them with: filehost audit`] : []),
        ...(doubt ? [`${describeDoubt(doubt)} If the clock is right: filehost cleanup --trust-clock`] : []),
      ],
    };
  },
});

async function confirmRemoval(ctx: Ctx, options: { readonly yes: boolean }, terminal: Terminal): Promise<void> {
  await checkMayRemove(ctx);
  const counts = await countOrphans(ctx);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total === 0) return;
  await terminal.err(`${describe(counts)}\n`);
  await confirmIrreversible({ command: "cleanup", options, terminal }, `Remove ${countOf(total, "orphan")} permanently?`);
}

const describe = ({ visible, quarantine, staging, unknownFiles }: OrphanCounts): string =>
  alignColumns([
    [String(visible), "blobs without a file"],
    [String(quarantine), "blobs in quarantine without a file"],
    [String(staging), "unfinished uploads without a session"],
    [String(unknownFiles), "files that are not filehost's"],
  ]).trimEnd();
