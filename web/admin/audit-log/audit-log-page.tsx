/** @jsxImportSource preact */
import type { AuditEntryView } from "../../../src/service/audit-log/contract.ts";
import type { EntryNames } from "../../../src/service/audit-log/names-contract.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { formatClock, formatDate, formatLongDay, visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { NextPages, renderAdmin } from "../admin-layout.tsx";
import { AUDIT_LOG_PATH } from "../paths.ts";
import { AuditFilters, type AuditFiltersProps } from "./audit-filters.tsx";
import { auditLogPath } from "./audit-search.ts";
import { AuditSentence } from "./audit-sentence.tsx";

export interface AuditLogPageProps extends Omit<AuditFiltersProps, "page"> {
  readonly entries: readonly AuditEntryView[];
  readonly names: EntryNames;
  readonly nextCursor: string | null;
  readonly isLaterPage: boolean;
}

/** Renders one page of the audit log. */
export function renderAuditLogPage(page: PageContext, props: AuditLogPageProps): string {
  const { entries, names, search, nextCursor, isLaterPage } = props;
  const { auditLog: texts } = page.texts;
  const path = auditLogPath(search);
  return renderAdmin(page, {
    section: "auditLog",
    children: (
      <>
        <p class="quiet">{texts.intro}</p>
        <details class="audit-toggle" open={path !== AUDIT_LOG_PATH}>
          <summary class="button small">{texts.filter}</summary>
        </details>
        <AuditFilters page={page} {...props} />
        {path === AUDIT_LOG_PATH ? null : (
          <p class="audit-clear">
            <a href={AUDIT_LOG_PATH}>{texts.clear}</a>
          </p>
        )}
        {entries.length === 0 ? (
          <EmptyState title={texts.none} text={texts.noneText} />
        ) : (
          [...Map.groupBy(entries, ({ at }) => formatLongDay(Date.parse(at), page))].map(([day, ofDay]) => (
            <section key={day} class="audit-day">
              <h2>{day}</h2>
              <ol class="card admin-list">
                {ofDay.map((entry) => (
                  <Entry key={entry.id} page={page} entry={entry} names={names} />
                ))}
              </ol>
            </section>
          ))
        )}
        <NextPages page={page} path={path} nextCursor={nextCursor} isLaterPage={isLaterPage} />
      </>
    ),
  });
}

interface EntryProps {
  readonly page: PageContext;
  readonly entry: AuditEntryView;
  readonly names: EntryNames;
}

function Entry({ page, entry, names }: EntryProps) {
  const { auditLog: texts } = page.texts;
  const { keyPrefix, application, details, address } = entry;
  const means = keyPrefix ?? (application && visibleText(application.name || application.id));
  const time = formatDate(Date.parse(entry.at), page);
  const facts: readonly (readonly [string, string | null])[] = [
    [texts.time, time],
    [texts.action, entry.action],
    [texts.subjectId, entry.subjectId],
    [texts.by, means],
    [texts.address, address],
    ...Object.entries(details).map(([name, value]) => [name, String(value)] as const),
  ];
  return (
    <li class="admin-entry audit-entry" data-action={entry.action}>
      <p class="audit-sentence">
        <AuditSentence page={page} entry={entry} names={names} />
      </p>
      <details class="audit-details">
        <summary>
          {/* No `time` element, because the script would show the day too, which the heading has. */}
          <span class="audit-clock" title={time}>
            {formatClock(Date.parse(entry.at), page)}
          </span>
          <span class="unseen">: {texts.details}</span>
        </summary>
        <dl class="audit-facts">
          {facts.map(([name, value]) =>
            value === null ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <bdi>{visibleText(value)}</bdi>
                </dd>
              </div>
            ),
          )}
        </dl>
      </details>
    </li>
  );
}
