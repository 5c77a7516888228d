/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { AuditEntryView } from "../../../src/service/audit-log/contract.ts";
import { type EntryNames, subjectKey, subjectKind } from "../../../src/service/audit-log/names-contract.ts";
import { counted, visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Unverified } from "../account-address.tsx";
import { ADMIN_FILES_PATH, BLOCKLIST_PATH, reportPath, SITE_SETTINGS_PATH, userPath } from "../paths.ts";

export interface AuditSentenceProps {
  readonly page: PageContext;
  readonly entry: AuditEntryView;
  readonly names: EntryNames;
}

/** Renders what an entry records as a sentence, with the present names of people and subjects. */
export function AuditSentence({ page, entry, names }: AuditSentenceProps) {
  const { auditLog: texts } = page.texts;
  const sentence = new Map<string, string>(Object.entries(texts.sentences)).get(sentenceOf(entry)) ?? texts.unknownSentence;
  const isOthers = entry.account !== null && entry.account.id !== entry.actor?.id;
  const template = sentence.replaceAll(/\[(.*?)\]/g, isOthers ? "$1" : "");
  return <>{fill(template, (name) => renderPart(name, { page, entry, names }))}</>;
}

/** Returns the name of the sentence of an entry: that of its action, or that of what the change of a request did. */
function sentenceOf({ action, details }: AuditEntryView): string {
  if (action !== "request.changed" || details.changed !== "closed" || typeof details.closed !== "boolean") return action;
  return details.closed ? "request.closed" : "request.reopened";
}

/** Replaces the names in braces. */
function fill(template: string, render: (name: string) => ComponentChildren): ComponentChildren[] {
  return template.split(/(\{\w+\})/).map((part) => (part.startsWith("{") ? render(part.slice(1, -1)) : part));
}

function renderPart(name: string, props: AuditSentenceProps): ComponentChildren {
  const { page, entry } = props;
  const { auditLog: texts, admin } = page.texts;
  const { details } = entry;
  switch (name) {
    case "actor":
      return <Actor {...props} />;
    case "account":
      return entry.account === null ? texts.deletedAccount : <Account {...props} account={entry.account} gone={texts.deletedAccount} />;
    case "subject":
      return <Subject {...props} />;
    case "what":
      return describeChanges(props);
    case "tier":
      return lookUp(admin.tiers, details.tier);
    case "role":
      return lookUp(admin.roles, details.role);
    case "from":
    case "to":
      return <bdi>{describeValue(props, details[name])}</bdi>;
    case "detail":
      return <Name>{String(details.name ?? "")}</Name>;
    case "files":
      return counted(Number(details.count ?? 0), page.language, ...texts.files);
    default:
      return entry.action;
  }
}

const Name = ({ children }: { readonly children: string }) => (
  <em>
    <bdi>{visibleText(children)}</bdi>
  </em>
);

function Actor(props: AuditSentenceProps) {
  const { auditLog: texts } = props.page.texts;
  const { actor, origin } = props.entry;
  if (actor === null) return <>{origin === "system" ? texts.server : texts.commandLine}</>;
  return <Account {...props} account={actor} gone={texts.deletedActor} />;
}

type AccountProps = AuditSentenceProps & { readonly account: NonNullable<AuditEntryView["actor"]>; readonly gone: string };

function Account({ page, names, account, gone }: AccountProps) {
  const name = names.accounts.get(account.id);
  if (name === undefined) return <>{gone}</>;
  return (
    <>
      <a href={userPath(account.id)} title={account.email ?? undefined}>
        <bdi>{visibleText(name)}</bdi>
      </a>
      <Unverified page={page} account={account} />
    </>
  );
}

/** Renders the phrase of the subject. Its name leads to the page of the administration on which it is found. */
function Subject(props: AuditSentenceProps) {
  const { page, entry } = props;
  const { subjects, deletedSubjects } = page.texts.auditLog;
  const kind = subjectKind(entry);
  const phrases = new Map(Object.entries(subjects)).get(kind);
  const name = findName(props);
  if (name === undefined || phrases === undefined) {
    const deleted = entry.action.endsWith(".deleted") ? new Map<string, string>(Object.entries(deletedSubjects)).get(kind) : undefined;
    return <>{deleted ?? phrases?.other ?? entry.subjectId}</>;
  }
  const path = subjectPath(entry);
  return <>{fill(phrases.named, () => (path === undefined ? <Name>{name}</Name> : <a href={path}>{<Name>{name}</Name>}</a>))}</>;
}

function findName({ page, entry, names }: AuditSentenceProps): string | undefined {
  const { details, subjectId } = entry;
  const known = names.subjects.get(subjectKey(entry));
  if (known !== undefined) return known;
  const text = (value: AuditEntryView["details"][string] | undefined) => (typeof value === "string" ? value : undefined);
  switch (subjectKind(entry)) {
    case "application":
      return text(details.name) || text(details.host);
    case "webhook":
      return text(details.host);
    case "key":
      return text(details.prefix);
    case "invite":
      return text(details.email);
    case "digest":
      return subjectId.slice(0, 12);
    case "job":
      return new Map<string, string>(Object.entries(page.texts.jobs.works)).get(text(details.kind) ?? "");
    default:
      return undefined;
  }
}

function subjectPath(entry: AuditEntryView): string | undefined {
  const { subjectId } = entry;
  const search = (path: string) => `${path}?${new URLSearchParams({ q: subjectId })}`;
  switch (subjectKind(entry)) {
    case "account":
      return userPath(subjectId);
    case "key":
      return entry.account === null || entry.account.email === null ? undefined : userPath(entry.account.id);
    case "share":
    case "file":
      return search(ADMIN_FILES_PATH);
    case "report":
      return reportPath(subjectId);
    case "digest":
      return BLOCKLIST_PATH;
    case "setting":
      return search(SITE_SETTINGS_PATH);
    default:
      return undefined;
  }
}

/** Lists the changed settings of a share or a request in words, each once. */
function describeChanges({ page, entry }: AuditSentenceProps): string {
  const { what } = page.texts.auditLog;
  const { changed, ...details } = entry.details;
  const fields = typeof changed === "string" ? changed.split(", ") : Object.keys(details);
  const words = [...new Set(fields.map((name) => new Map<string, string>(Object.entries(what)).get(name) ?? what.other))];
  return new Intl.ListFormat(page.language).format(words.length === 0 ? [what.other] : words);
}

function describeValue({ page, entry }: AuditSentenceProps, value: AuditEntryView["details"][string] | undefined): string {
  const { siteSettings, auditLog } = page.texts;
  if (value === null || value === undefined || value === "") return auditLog.noValue;
  const isChoice = ["signup", "anonymous", "encrypted"].includes(entry.subjectId);
  return isChoice ? lookUp(siteSettings.choices, value) : visibleText(String(value));
}

const lookUp = (texts: Readonly<Record<string, string>>, value: AuditEntryView["details"][string] | undefined): string =>
  Object.hasOwn(texts, String(value)) ? (texts[String(value)] ?? "") : String(value ?? "");
