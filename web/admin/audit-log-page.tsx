/** @jsxImportSource preact */
import { formatDate } from "../format.ts";
import type { PageContext } from "../page-context.ts";
import { Pages, renderAdmin } from "./admin-layout.tsx";
import { AUDIT_LOG_PATH, userPath } from "./paths.ts";

interface AuditedAccount {
  readonly id: string;
  readonly email: string | null;
}

export interface AuditEntryView {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly origin: "account" | "key" | "command_line" | "system";
  readonly actor: AuditedAccount | null;
  readonly keyPrefix: string | null;
  readonly subjectId: string;
  readonly account: AuditedAccount | null;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  readonly address: string | null;
}

export interface AuditSearch {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
}

export interface AuditLogPageProps {
  readonly entries: readonly AuditEntryView[];
  readonly search: AuditSearch;
  readonly nextCursor: string | null;
  readonly isLaterPage: boolean;
}

const FIELDS = ["actor", "action", "subject"] as const;

/** Renders one page of the audit log. */
export function renderAuditLogPage(page: PageContext, { entries, search, nextCursor, isLaterPage }: AuditLogPageProps): string {
  const { admin } = page.texts;
  const query = new URLSearchParams(FIELDS.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
  const path = query.size === 0 ? AUDIT_LOG_PATH : `${AUDIT_LOG_PATH}?${query}`;
  return renderAdmin(page, {
    section: "auditLog",
    children: (
      <>
        <form class="admin-search" method="get" action={AUDIT_LOG_PATH}>
          {FIELDS.map((name) => (
            <input
              key={name}
              type="search"
              name={name}
              value={search[name] ?? ""}
              maxLength={name === "action" ? 64 : 254}
              aria-label={admin.auditFields[name]}
              placeholder={admin.auditFields[name]}
            />
          ))}
          <button class="button small" type="submit">
            {admin.find}
          </button>
        </form>
        {entries.length === 0 ? (
          <p class="card quiet">{admin.noEntries}</p>
        ) : (
          <ol class="card admin-list">
            {entries.map((entry) => (
              <Entry key={entry.id} page={page} entry={entry} />
            ))}
          </ol>
        )}
        <Pages page={page} path={path} nextCursor={nextCursor} isLaterPage={isLaterPage} />
      </>
    ),
  });
}

function Entry({ page, entry }: { readonly page: PageContext; readonly entry: AuditEntryView }) {
  const { admin } = page.texts;
  const { actor, account, keyPrefix, origin, details, address } = entry;
  const who = actor === null ? admin.origins[origin === "system" ? "system" : "command_line"] : <AccountLink account={actor} />;
  const facts = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  return (
    <li class="admin-entry">
      <p>
        <strong class="admin-action">{entry.action}</strong> <span class="quiet">{entry.subjectId}</span>
      </p>
      <p class="quiet">
        <time dateTime={entry.at}>{formatDate(Date.parse(entry.at), page.language)}</time> · {who}
        {keyPrefix === null ? null : ` (${keyPrefix})`}
        {account === null || account.id === actor?.id ? null : (
          <>
            {" → "}
            <AccountLink account={account} />
          </>
        )}
        {address === null ? null : ` · ${address}`}
      </p>
      {facts.length === 0 ? null : <p class="quiet">{facts.join(" · ")}</p>}
    </li>
  );
}

const AccountLink = ({ account }: { readonly account: AuditedAccount }) =>
  account.email === null ? <span>{account.id}</span> : <a href={userPath(account.id)}>{account.email}</a>;
