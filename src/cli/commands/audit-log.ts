import { AppError } from "../../errors.ts";
import { parseTtl } from "../../lib/duration.ts";
import { parseIsoTime, toIso } from "../../lib/iso-time.ts";
import type { AuditEntryView } from "../../service/audit-log/contract.ts";
import { searchAuditLog } from "../../service/audit-log/list-audit-log.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../settings.ts";
import { formatTable, formatTime } from "../text.ts";
import { withApp } from "../with-app.ts";

const PAGE_SIZE = 200;

export const auditLog = defineCommand({
  name: "audit-log",
  summary: "List what was done to accounts, keys, shares and settings",
  details: "Newest first. Entries are kept for FILEHOST_AUDIT_LOG_DAYS.",
  options: {
    since: { kind: "text", value: "TIME", help: "Only since then: a date such as 2030-01-31, or a time ago such as 7d" },
    actor: { kind: "text", value: "WHO", help: "Only by this account, key, command_line or system" },
    action: { kind: "text", value: "ACTION", help: "Only this action, such as key.created, or this kind, such as key" },
    subject: { kind: "text", value: "ID", help: "Only done to this ID, or to what belongs to this account" },
    limit: { kind: "text", value: "N", default: "100", help: "Most entries to list" },
  },
  settings: DATA_SETTINGS,
  examples: ["filehost audit-log --since 7d", "filehost audit-log --actor ada@example.org --action key", "filehost audit-log --json"],
  async run({ options: { since, limit, ...search }, load }) {
    const count = toCount(limit);
    const entries = await withApp(load(), async (ctx) => {
      const input = { ...search, since: since === undefined ? undefined : toStart(since, ctx.now()) };
      const found: AuditEntryView[] = [];
      let cursor: string | undefined;
      do {
        const page = await searchAuditLog(ctx, { ...input, cursor, limit: Math.min(PAGE_SIZE, count - found.length) });
        found.push(...page.data);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && found.length < count);
      return found;
    });
    const rows = entries.map((entry) => [
      formatTime(entry.at),
      describeActor(entry),
      entry.action,
      entry.subjectId,
      entry.account === null ? "-" : (entry.account.email ?? entry.account.id),
      describeDetails(entry.details),
      entry.address ?? "",
    ]);
    const headings = ["TIME", "WHO", "ACTION", "SUBJECT", "ACCOUNT", "DETAILS", ""];
    return { data: entries, text: formatTable(headings, rows, "There are no entries.") };
  },
});

function toCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AppError("VALIDATION_FAILED", `"${text}" is not a number of entries. Write a whole number of at least 1.`);
}

function toStart(text: string, nowMs: number): string {
  const ago = parseTtl(text);
  const ms = ago === undefined ? parseIsoTime(text) : nowMs - ago;
  if (ms !== undefined) return toIso(ms);
  throw new AppError("VALIDATION_FAILED", `"${text}" is not a time. Write a date such as 2030-01-31, or a time ago such as 7d.`);
}

function describeActor({ origin, actor, keyPrefix }: AuditEntryView): string {
  if (actor === null) return origin === "system" ? "system" : "command line";
  return [actor.email ?? actor.id, ...(keyPrefix === null ? [] : [`(${keyPrefix})`])].join(" ");
}

const describeDetails = (details: AuditEntryView["details"]): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
