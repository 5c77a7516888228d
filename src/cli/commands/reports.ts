import { formatSize } from "../../lib/format-size.ts";
import { listReports as list, type ReportView, resolveReports } from "../../service/reports/review-reports.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { alignColumns, countOf, formatTime, toId } from "../text.ts";
import { withApp } from "../with-app.ts";

const STATUS_WORDS = { active: "active", expired: "expired", deleted: "deleted", dmca_removed: "taken down" } as const;

export const reportsList = defineCommand({
  name: "reports list",
  summary: "List the open reports of shares, oldest first",
  details: "Block a reported share with filehost takedown, and end its reports with filehost reports resolve.",
  options: { all: { kind: "flag", help: "Also resolved reports, which are kept for 90 days" } },
  settings: DATA_SETTINGS,
  examples: ["filehost reports list", "filehost reports list --all --json"],
  async run({ options, load }) {
    const reports = await withApp(load(), (ctx) => list(ctx, options));
    return { data: reports, text: reports.length === 0 ? "There are no reports.\n" : reports.map(formatReport).join("\n") };
  },
});

/** A block of lines per report: what people wrote is too long for a table. */
function formatReport(report: ReportView): string {
  const status = report.shareStatus === null ? "removed" : STATUS_WORDS[report.shareStatus];
  const files = report.fileCount === 1 ? "" : `, ${countOf(report.fileCount, "file")}`;
  const facts: readonly (readonly [string, string | null])[] = [
    ["share", `${report.shortId} (${status})`],
    ["name", `${report.name} (${formatSize(report.sizeBytes)}${files})`],
    ["sha256", report.sha256],
    ["from", report.email],
    ["details", report.details],
    ["resolved", report.resolvedAt === null ? null : formatTime(report.resolvedAt)],
    ["note", report.resolution],
  ];
  const lines = facts.flatMap(([what, text]) =>
    text === null ? [] : text.split("\n").map((line, index) => [index === 0 ? what : "", line]),
  );
  return `${alignColumns([[report.id, report.reason, formatTime(report.createdAt)]])}${alignColumns(lines, "  ")}`;
}

export const reportsResolve = defineCommand({
  name: "reports resolve",
  summary: "Mark a report as resolved",
  details: "With a share, resolves all its open reports. The share itself does not change.",
  args: { ID: { help: "A report's ID, or a share's short ID or link" } },
  options: { note: { kind: "text", value: "TEXT", help: "What was decided, for your records" } },
  settings: DATA_SETTINGS,
  examples: ["filehost reports resolve 4kTqW9xZ --note 'Taken down'", "filehost reports resolve 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"],
  async run({ args: { ID }, options, load }) {
    const resolved = await withApp(load(), (ctx) => resolveReports(ctx, "command_line", toId(ID), options));
    return {
      data: resolved,
      text: alignColumns(resolved.resolved.map((id) => [id])),
      notes: [`${countOf(resolved.resolved.length, "report")} of the share ${resolved.shortId} resolved.`],
    };
  },
});
