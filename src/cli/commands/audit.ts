import { countOf } from "../../lib/count-of.ts";
import { audit as auditStore } from "../../service/maintenance/audit.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns } from "../text.ts";
import { withApp } from "../with-app.ts";

export const audit = defineCommand({
  name: "audit",
  summary: "Check that every file has its bytes and all bytes belong to a file",
  details: "Changes nothing. Exit code: 0 if the check passes, 1 if bytes are missing or orphaned.",
  settings: DATA_SETTINGS,
  examples: ["filehost audit", "filehost audit --json"],
  async run({ load }) {
    const report = await withApp(load(), auditStore);
    const { missing, orphans } = report;
    const rows = [
      ...missing.map(({ fileId, reason }) => ["missing", fileId, reason]),
      ...orphans.map(({ key, where }) => ["orphan", key, where]),
    ];
    const isClean = rows.length === 0;
    const advice = orphans.length > 0 ? " Remove orphans with: filehost cleanup --orphans" : "";
    const notes = isClean
      ? []
      : [`${countOf(missing.length, "file")} without their bytes, ${countOf(orphans.length, "blob")} without a file.${advice}`];
    return {
      data: report,
      text: isClean ? "The check passed: no bytes are missing or orphaned.\n" : alignColumns(rows),
      notes,
      exitCode: isClean ? 0 : 1,
    };
  },
});
