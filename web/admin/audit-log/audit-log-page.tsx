/** @jsxImportSource preact */
import type { AuditEntryView } from "../../../src/service/audit-log/contract.ts";
import { formatDate, visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { type AccountView, Unverified } from "../account-address.tsx";
import { NextPages, renderAdmin } from "../admin-layout.tsx";
import { AUDIT_LOG_PATH, userPath } from "../paths.ts";

export interface AuditSearch {
  /** The first and the last day (UTC), such as 2030-01-31. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
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

const DAYS = ["since", "until"] as const;
const FIELDS = ["actor", "action", "subject"] as const;

/** Renders one page of the audit log. */
export function renderAuditLogPage(page: PageContext, { entries, search, nextCursor, isLaterPage }: AuditLogPageProps): string {
  const { admin } = page.texts;
  const query = new URLSearchParams([...DAYS, ...FIELDS].flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
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
          {DAYS.map((name) => (
            <label key={name} class="admin-day">
              <span>{admin.auditDays[name]}</span>
              <input type="date" name={name} value={search[name] ?? ""} />
            </label>
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
        <NextPages page={page} path={path} nextCursor={nextCursor} isLaterPage={isLaterPage} />
      </>
    ),
  });
}

function Entry({ page, entry }: { readonly page: PageContext; readonly entry: AuditEntryView }) {
  const { admin } = page.texts;
  const { actor, account, keyPrefix, application, origin, details, address } = entry;
  const means = keyPrefix ?? (application && visibleText(application.name || application.id));
  const who = actor === null ? admin.origins[origin === "system" ? "system" : "command_line"] : <AccountLink page={page} account={actor} />;
  const facts = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  return (
    <li class="admin-entry">
      <p>
        <strong class="admin-action">{entry.action}</strong> <span class="quiet">{entry.subjectId}</span>
      </p>
      <p class="quiet">
        <time dateTime={entry.at}>{formatDate(Date.parse(entry.at), page)}</time> · {who}
        {means === null ? null : ` (${means})`}
        {account === null || account.id === actor?.id ? null : (
          <>
            {" → "}
            <AccountLink page={page} account={account} />
          </>
        )}
        {address === null ? null : ` · ${address}`}
      </p>
      {facts.length === 0 ? null : <p class="quiet">{facts.join(" · ")}</p>}
    </li>
  );
}

function AccountLink({ page, account }: { readonly page: PageContext; readonly account: AccountView }) {
  if (account.email === null) return <span>{account.id}</span>;
  return (
    <>
      <a href={userPath(account.id)}>{account.email}</a>
      <Unverified page={page} account={account} />
    </>
  );
}
