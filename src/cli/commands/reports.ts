import { countOf } from "../../lib/text/count-of.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { dismissReport, getReport, listReports, takeDownReported } from "../../service/administration/reports.ts";
import { reviewContract } from "../../service/administration/reports-contract.ts";
import type { Output } from "../../service/contract.ts";
import { administer } from "../administer.ts";
import { defineCommand } from "../command.ts";
import { nameReport } from "../find-named.ts";
import { confirmTakedown, TAKEDOWN_OPTIONS } from "../options/irreversible.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { LIMIT_OPTION, readPages, toLimit } from "../read-pages.ts";
import { alignColumns, formatFacts, formatTime } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";
import { describeBlocks, describeOtherPlaces } from "./takedown.ts";

const STATUS_WORDS = { active: "active", expired: "expired", deleted: "deleted", dmca_removed: "taken down" } as const;
const OUTCOME_WORDS = { dismissed: "dismissed", taken_down: "taken down" } as const;
const REPORTED = { help: "A report's ID, or a share's short ID or link: all its open reports" };
const NOTE = { kind: "text", value: "TEXT", help: "Why, for your records" } as const;

type ReportView = Output<"listReports">["data"][number];

export const reportsList = defineCommand({
  details: "Open reports are listed oldest first, others newest first. Decide with filehost reports takedown, or filehost reports dismiss.",
  options: {
    state: {
      kind: "text",
      value: "STATE",
      choices: ["open", "resolved", "all"],
      default: "open",
      help: "Which reports; resolved ones are kept for 90 days",
    },
    limit: LIMIT_OPTION,
  },
  settings: DATA_SETTINGS,
  examples: ["filehost reports list", "filehost reports list --state all --json"],
  async run({ options: { state, limit }, load }) {
    const count = toLimit(limit);
    const reports = await withApp(await load(), (ctx) =>
      readPages(count, (page) => administer(ctx, [reviewContract.listReports, listReports], { state, ...page })),
    );
    return { data: reports, text: reports.length === 0 ? "There are no reports.\n" : reports.map(formatReport).join("\n") };
  },
});

export const reportsShow = defineCommand({
  args: { ID: { help: "The report's ID" } },
  settings: DATA_SETTINGS,
  examples: ["filehost reports show 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"],
  async run({ args: { ID }, load }) {
    const report = await withApp(await load(), (ctx) => administer(ctx, [reviewContract.getReport, getReport], { id: ID }));
    const files = report.files.map(({ file }) => [file.id, file.name, formatSize(file.sizeBytes), STATUS_WORDS[file.status]]);
    const others = report.others.map(({ id, reason, createdAt }) => [id, reason, formatTime(createdAt)]);
    const elsewhere = report.otherPlaces.map(({ id, shortId, name }) => [id, shortId, name]);
    const text = [
      formatReport(report),
      ...(files.length === 0 ? [] : [`\nFiles\n${alignColumns(files, "  ")}`]),
      ...(elsewhere.length === 0 ? [] : [`\nPlaces in other shares (${report.otherPlaceCount})\n${alignColumns(elsewhere, "  ")}`]),
      ...(others.length === 0 ? [] : [`\nOther reports of the share\n${alignColumns(others, "  ")}`]),
    ];
    return { data: report, text: text.join("") };
  },
});

/** Formats a report as a block of lines, because its texts are too long for a table. */
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
    ["decision", report.outcome === null ? null : OUTCOME_WORDS[report.outcome]],
    ["by", report.resolvedBy],
    ["note", report.resolution],
  ];
  return `${alignColumns([[report.id, report.reason, formatTime(report.createdAt)]])}${formatFacts(facts, "  ")}`;
}

export const reportsDismiss = defineCommand({
  args: { ID: REPORTED },
  options: { note: NOTE },
  settings: DATA_SETTINGS,
  examples: ["filehost reports dismiss 4kTqW9xZ --note 'Harmless'", "filehost reports dismiss 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"],
  async run({ args: { ID }, options: { note }, load }) {
    const dismissed = await withApp(await load(), async (ctx) =>
      administer(ctx, [reviewContract.dismissReport, dismissReport], { ...(await nameReport(ctx, ID)), note }),
    );
    return { data: dismissed, text: formatIds(dismissed.resolved), notes: [describeResolved(dismissed)] };
  },
});

export const reportsTakedown = defineCommand({
  details:
    "The bytes stay in quarantine for FILEHOST_QUARANTINE_DAYS; until then, filehost takedown --undo restores the share or the file.",
  args: { ID: REPORTED },
  options: {
    file: { kind: "text", value: "ID", help: "Only this file of the share; default: the whole share" },
    block: { kind: "flag", help: "Add the files to the blocklist, so that nobody can upload them again" },
    note: NOTE,
    ...TAKEDOWN_OPTIONS,
  },
  settings: [...DATA_SETTINGS, "QUARANTINE_DAYS"],
  examples: ["filehost reports takedown 4kTqW9xZ --block --note 'Court order 12/26'"],
  async run({ args: { ID }, options, load, terminal }) {
    const { file, yes: _yes, "public-reason": publicReason, ...takedown } = options;
    const loaded = await load();
    await confirmTakedown({ command: "reports takedown", options, terminal }, loaded);
    const taken = await withApp(loaded, async (ctx) => {
      const { id } = await nameReport(ctx, ID);
      return await administer(ctx, [reviewContract.takeDownReported, takeDownReported], { id, fileId: file, publicReason, ...takedown });
    });
    const notes = [
      `${describeResolved(taken)} The bytes are removed after ${formatTime(taken.bytesUntil)}.`,
      ...describeOtherPlaces(taken),
      ...(takedown.block ? describeBlocks(taken) : []),
    ];
    return { data: taken, text: formatIds(taken.resolved), notes };
  },
});

const formatIds = (ids: readonly string[]): string => alignColumns(ids.map((id) => [id]));

const describeResolved = ({ resolved, shortId }: { readonly resolved: readonly string[]; readonly shortId: string }): string =>
  `${countOf(resolved.length, "report")} of the share ${shortId} resolved.`;
