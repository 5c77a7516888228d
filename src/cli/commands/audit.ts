import { audit as auditStore } from "../../operations/admin/audit.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns, countOf } from "../text.ts";
import { withApp } from "../with-app.ts";

export const audit = defineCommand({
  name: "audit",
  summary: "Check that every file has its bytes, and all bytes have their file",
  details: "Changes nothing. Exit code 0 where all is well, 1 where something is missing or left over.",
  settings: DATA_SETTINGS,
  examples: ["filehost audit", "filehost audit --json"],
  async run({ load }) {
    const findings = await withApp(load(), auditStore);
    const { missing, orphans } = findings;
    const rows = [
      ...missing.map(({ fileId, reason }) => ["missing", fileId, reason]),
      ...orphans.map(({ key, where }) => ["orphan", key, where]),
    ];
    const isWell = rows.length === 0;
    const advice = orphans.length > 0 ? " Orphans go with: filehost cleanup" : "";
    const notes = isWell
      ? []
      : [`${countOf(missing.length, "file")} without their bytes, ${countOf(orphans.length, "blob")} without a file.${advice}`];
    return { data: findings, text: isWell ? "All is well.\n" : alignColumns(rows), notes, exitCode: isWell ? 0 : 1 };
  },
});
