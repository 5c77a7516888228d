import { countOf } from "../../lib/text/count-of.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { audit as auditStore } from "../../service/maintenance/audit.ts";
import { listDamaged } from "../../service/maintenance/stored-digests.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { showWhile } from "../terminal/progress.ts";
import { alignColumns } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

const DAMAGE_ADVICE =
  "Copy the damaged blobs from a backup to their places and run filehost rescan ID, or have the files sent again. Check the disk: smartctl -a, dmesg.";

export const audit = defineCommand({
  details: "Changes nothing. Exit code: 0 if the check passes, 1 if bytes are missing, damaged or orphaned.",
  options: { digests: { kind: "flag", help: "Also read all bytes, and compare the SHA-256 of each file" } },
  settings: DATA_SETTINGS,
  examples: ["filehost audit", "filehost audit --digests", "filehost audit --json"],
  async run({ load, options, terminal }) {
    const report = await withApp(await load(), async (ctx) => {
      const found = await auditStore(ctx);
      if (!options.digests) return found;
      let readBytes = 0;
      const onBytes = (count: number): void => {
        readBytes += count;
      };
      const damaged = await showWhile(terminal, (show) => {
        show(() => `${formatSize(readBytes)} read`);
        return listDamaged(ctx, onBytes);
      });
      const missing = new Set(found.missing.map(({ fileId }) => fileId));
      return { ...found, damaged: damaged.filter(({ fileId }) => !missing.has(fileId)) };
    });
    const { missing, orphans } = report;
    const damaged = "damaged" in report ? report.damaged : [];
    const rows = [
      ...missing.map(({ fileId, reason }) => ["missing", fileId, reason]),
      ...damaged.map(({ fileId, name, reason }) => ["damaged", fileId, `${name}: ${reason}`]),
      ...orphans.map(({ key, where }) => ["orphan", key, where]),
    ];
    const isClean = rows.length === 0;
    const advice = orphans.length > 0 ? " Remove orphans with: filehost cleanup --orphans" : "";
    const notes = isClean
      ? []
      : [
          [
            `${countOf(missing.length, "file")} without their bytes`,
            ...(options.digests ? [countOf(damaged.length, "damaged file")] : []),
            `${countOf(orphans.length, "blob")} without a file.${advice}`,
          ].join(", "),
          ...(damaged.length === 0 ? [] : [DAMAGE_ADVICE]),
        ];
    return {
      data: report,
      text: isClean ? `The check passed: no bytes are missing${options.digests ? ", damaged" : ""} or orphaned.\n` : alignColumns(rows),
      notes,
      exitCode: isClean ? 0 : 1,
    };
  },
});
