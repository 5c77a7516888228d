import { AUDIT_ACTIONS, type AuditEntryView, auditLogContract } from "../../service/audit-log/contract.ts";
import { listAuditLog } from "../../service/audit-log/list-audit-log.ts";
import { administer } from "../administer.ts";
import { defineCommand } from "../command.ts";
import { DATA_SETTINGS } from "../options/option-settings.ts";
import { readTimeOption, TIME_SYNTAX } from "../options/times.ts";
import { LIMIT_OPTION, readPages, toLimit } from "../read-pages.ts";
import { describeAccount, formatTable, formatTime } from "../terminal/text.ts";
import { withApp } from "../with-app.ts";

/** Each kind of actions, then all actions. */
const ACTIONS = [...new Set(AUDIT_ACTIONS.map((action) => action.split(".")[0] ?? "")), ...AUDIT_ACTIONS];

export const auditLog = defineCommand({
  details: "Newest first. Entries are kept for FILEHOST_AUDIT_LOG_DAYS.",
  options: {
    since: { kind: "text", value: "TIME", help: `Only since then: ${TIME_SYNTAX}; 7d is a week ago` },
    until: { kind: "text", value: "TIME", help: `Only before then: ${TIME_SYNTAX}; 7d is a week ago` },
    actor: {
      kind: "text",
      value: "WHO",
      suggests: ["command_line", "system"],
      help: "Only changes by this account, key, command_line or system",
    },
    action: { kind: "text", value: "ACTION", suggests: ACTIONS, help: "Only this action, such as key.created, or this kind, such as key" },
    subject: { kind: "text", value: "ID", help: "Only changes to this ID, or to anything of this account" },
    limit: { ...LIMIT_OPTION, default: "100", help: "Maximum number of entries to list" },
  },
  settings: DATA_SETTINGS,
  examples: [
    "filehost audit-log --since 7d --until 2030-01-31",
    "filehost audit-log --actor ada@example.org --action key",
    "filehost audit-log --json",
  ],
  async run({ options: { since, until, limit, ...search }, load }) {
    const count = toLimit(limit);
    const entries = await withApp(await load(), async (ctx) => {
      const toTime = (option: string, text: string | undefined): string | undefined =>
        text === undefined ? undefined : readTimeOption({ command: "audit-log", option, text }, { nowMs: ctx.now(), isAgo: true });
      const fields = { ...search, since: toTime("since", since), until: toTime("until", until) };
      return await readPages(count, (page) => administer(ctx, [auditLogContract.listAuditLog, listAuditLog], { ...fields, ...page }));
    });
    const rows = entries.map((entry) => [
      formatTime(entry.at),
      describeActor(entry),
      entry.action,
      entry.subjectId,
      entry.account === null ? "-" : describeAccount(entry.account),
      describeDetails(entry.details),
      entry.address ?? "",
    ]);
    const headings = ["TIME", "WHO", "ACTION", "SUBJECT", "ACCOUNT", "DETAILS", ""];
    return { data: entries, text: formatTable(headings, rows, "There are no entries.") };
  },
});

function describeActor({ origin, actor, keyPrefix, application }: AuditEntryView): string {
  if (actor === null) return origin === "system" ? "system" : "command line";
  const means = keyPrefix ?? (application && (application.name || application.id));
  return [describeAccount(actor), ...(means === null ? [] : [`(${means})`])].join(" ");
}

const describeDetails = (details: AuditEntryView["details"]): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
