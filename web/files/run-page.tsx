/** @jsxImportSource preact */
import { visibleText } from "../format.ts";
import { renderDocument } from "../layout.tsx";
import type { PageContext } from "../page-context.ts";
import { DownloadLink, EntryRow } from "./entry-row.tsx";
import { FILES_PATH, type FileView } from "./file-views.ts";

export interface RunPageProps {
  readonly runId: string;
  readonly files: readonly FileView[];
  readonly nowMs: number;
}

/** Renders the files of a run. */
export function renderRunPage(page: PageContext, { runId, files, nowMs }: RunPageProps): string {
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
          <h1>
            <bdi>{title}</bdi>
          </h1>
        </nav>
        <p class="quiet">
          {texts.runFiles(files.length)}. {texts.runText}
        </p>
        <div role="table" class="files-list table" aria-label={title}>
          <div role="row" class="files-row files-head">
            <div role="columnheader" class="files-pick">
              <span class="unseen">{texts.pick}</span>
            </div>
            <div role="columnheader" class="files-name">
              {texts.columns.name}
            </div>
            <div role="columnheader" class="files-state">
              {texts.columns.state}
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
      </div>
    ),
  });
}
