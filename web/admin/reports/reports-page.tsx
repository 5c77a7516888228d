/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import type { Input, Output } from "../../../src/service/contract.ts";
import { NameTile } from "../../files/entry-row.tsx";
import { toShownName } from "../../files/shown-name.ts";
import { EmptyState } from "../../site/empty-state.tsx";
import { FileName, FileTile } from "../../site/file-name.tsx";
import { visibleText } from "../../site/format.ts";
import type { PageContext } from "../../site/page-context.ts";
import { Ago } from "../../site/panel.tsx";
import { Tabs } from "../../site/tabs.tsx";
import { NextPages, renderAdmin } from "../admin-layout.tsx";
import { REPORTS_PATH, reportPath } from "../paths.ts";

export const REPORT_STATES = ["open", "resolved", "all"] as const satisfies readonly Input<"listReports">["state"][];

export type ReportState = (typeof REPORT_STATES)[number];

export type ReportView = Output<"listReports">["data"][number];

export interface ReportsPageProps {
  readonly reports: readonly ReportView[];
  readonly state: ReportState;
  readonly nextCursor: string | null;
  readonly isLaterPage: boolean;
  readonly nowMs: number;
}

/** Renders one page of the reports about shares. */
export function renderReportsPage(page: PageContext, { reports, state, nextCursor, isLaterPage, nowMs }: ReportsPageProps): string {
  const { moderation } = page.texts;
  const isOpenList = state === "open";
  return renderAdmin(page, {
    section: "reports",
    children: (
      <>
        <Tabs
          label={moderation.reports}
          tabs={REPORT_STATES.map((name) => ({ href: listPath(name), text: moderation.reportStates[name], isCurrent: name === state }))}
        />
        {reports.length === 0 ? (
          <EmptyState
            title={isOpenList ? moderation.noOpenReports : moderation.noReports}
            text={isOpenList ? moderation.noOpenReportsText : moderation.noReportsText}
          />
        ) : (
          <ul class="card admin-list">
            {reports.map((report) => (
              <ReportItem key={report.id} page={page} report={report} nowMs={nowMs} />
            ))}
          </ul>
        )}
        <NextPages page={page} path={listPath(state)} nextCursor={nextCursor} isLaterPage={isLaterPage} />
      </>
    ),
  });
}

const listPath = (state: ReportState): string => (state === "open" ? REPORTS_PATH : `${REPORTS_PATH}?state=${state}`);

interface ItemProps {
  readonly page: PageContext;
  readonly report: ReportView;
  readonly nowMs: number;
}

function ReportItem({ page, report, nowMs }: ItemProps) {
  const { texts, language } = page;
  const { moderation } = texts;
  const size = formatSize(report.sizeBytes, language);
  return (
    <li class="admin-entry report-item">
      <a class="file small" href={reportPath(report.id)}>
        {report.fileCount === 1 ? <NameTile file={report} /> : <FileTile name="" />}
        <span class="name">
          <FileName name={toShownName(report, texts.files)} />
          <span class="quiet block">
            {texts.report.reasons[report.reason]} · {report.fileCount === 1 ? size : `${moderation.fileCount(report.fileCount)}, ${size}`} ·{" "}
            <Ago page={page} time={report.createdAt} nowMs={nowMs} />
          </span>
        </span>
      </a>
      <p class="report-tags">
        {report.openReports > 1 ? <span class="tag note">{moderation.reportCount(report.openReports)}</span> : null}
        {report.resolvedAt === null ? null : <OutcomeTag page={page} report={report} />}
      </p>
      {report.details === null ? null : (
        <p class="quiet report-excerpt">
          <bdi>{visibleText(report.details.replaceAll("\n", " "))}</bdi>
        </p>
      )}
    </li>
  );
}

export function OutcomeTag({ page, report }: Pick<ItemProps, "page" | "report">) {
  const outcome = report.outcome ?? "resolved";
  return <span class={outcome === "taken_down" ? "tag bad" : "tag good"}>{page.texts.moderation.outcomes[outcome]}</span>;
}
