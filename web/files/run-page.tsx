/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { EmptyState } from "../site/empty-state.tsx";
import { visibleText } from "../site/format.ts";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { DownloadLink, EntryRow } from "./entry-row.tsx";
import { FILES_PATH, type FileView, RUNS_PATH } from "./file-views.ts";
import { NumberedPages } from "./page-links.tsx";
import { formatExactDate, formatShortDate } from "./short-date.ts";

export interface RunPageProps {
  readonly runId: string;
  /** The files on this page. */
  readonly files: readonly FileView[];
  readonly total: number;
  /** The number of the page, from 1. */
  readonly pageNumber: number;
  readonly nowMs: number;
}

/** Renders the files of a run. */
export function renderRunPage(page: PageContext, { runId, files, total, pageNumber, nowMs }: RunPageProps): string {
  const { files: texts } = page.texts;
  const title = texts.run(visibleText(runId));
  return renderDocument(page, {
    title,
    width: "wide",
    styles: ["dashboard"],
    main: { "data-state": "files-run" },
    children: (
      <div class="account-files">
        <nav class="files-path" aria-label={texts.path}>
          <a href={FILES_PATH}>{texts.title}</a>
          <a href={RUNS_PATH}>{texts.runs}</a>
          <h1>
            <bdi>{title}</bdi>
          </h1>
        </nav>
        <p class="quiet">
          {texts.runFiles(total)}. {texts.runText}
        </p>
        <div role="table" class="files-list table" aria-label={title}>
          <div role="row" class="files-row files-head">
            <div role="columnheader" class="files-pick">
              <span class="unseen">{texts.pick}</span>
            </div>
            <div role="columnheader" class="files-name">
              {texts.columns.name}
            </div>
            <div role="columnheader" class="files-size">
              {texts.columns.size}
            </div>
            <div role="columnheader" class="files-date">
              {texts.columns.created}
            </div>
            <div role="columnheader" class="files-tools">
              <span class="unseen">{texts.open}</span>
            </div>
          </div>
          {files.map((file) => (
            <EntryRow
              key={file.id}
              texts={page.texts}
              language={page.language}
              nowMs={nowMs}
              timeZone="UTC"
              entry={{ kind: "file", file }}
              cellRole="cell"
              tools={<DownloadLink texts={page.texts} file={file} />}
            />
          ))}
        </div>
        <NumberedPages page={page} pageNumber={pageNumber} total={total} toPath={(number) => `${runPath(runId)}?page=${number}`} />
      </div>
    ),
  });
}

export interface RunsPageProps {
  readonly runs: readonly {
    readonly runId: string;
    readonly files: number;
    readonly size: number;
    readonly updatedAt: string;
  }[];
  readonly total: number;
  /** The number of the page, from 1. */
  readonly pageNumber: number;
  readonly nowMs: number;
}

/** Renders the runs of an account. */
export function renderRunsPage(page: PageContext, { runs, total, pageNumber, nowMs }: RunsPageProps): string {
  const { files: texts } = page.texts;
  return renderDocument(page, {
    title: texts.runs,
    width: "wide",
    styles: ["dashboard"],
    main: { "data-state": "files-runs" },
    children: (
      <div class="account-files">
        <nav class="files-path" aria-label={texts.path}>
          <a href={FILES_PATH}>{texts.title}</a>
          <h1>{texts.runs}</h1>
        </nav>
        <p class="quiet">{texts.runsText}</p>
        {runs.length === 0 ? (
          <EmptyState title={texts.noRuns} text={texts.noRunsText} />
        ) : (
          <ul class="files-runs">
            {runs.map(({ runId, files, size, updatedAt }) => (
              <li key={runId}>
                <a href={runPath(runId)}>
                  <bdi>{visibleText(runId)}</bdi>
                </a>
                <span class="quiet">
                  {texts.runFiles(files)} · {formatSize(size, page.language)} ·{" "}
                  <time dateTime={updatedAt} title={formatExactDate(Date.parse(updatedAt), page.language, "UTC")}>
                    {formatShortDate(Date.parse(updatedAt), nowMs, page.language, "UTC")}
                  </time>
                </span>
              </li>
            ))}
          </ul>
        )}
        <NumberedPages page={page} pageNumber={pageNumber} total={total} toPath={(number) => `${RUNS_PATH}?page=${number}`} />
      </div>
    ),
  });
}

const runPath = (runId: string): string => `${RUNS_PATH}/${encodeURIComponent(runId)}`;
