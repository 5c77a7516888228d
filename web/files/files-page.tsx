/** @jsxImportSource preact */

import { EmptyState } from "../site/empty-state.tsx";
import { fullName } from "../site/format.ts";
import { FolderIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { COLUMN_OF, toAriaSort } from "./columns.ts";
import { DownloadLink, EntryRow, type RowContext } from "./entry-row.tsx";
import {
  type Entry,
  FILE_COLUMNS,
  FILES_PATH,
  type FilesListing,
  type FilesView,
  filesListPath,
  folderPath,
  type ListQuery,
  sortedBy,
} from "./file-views.ts";
import { NumberedPages } from "./page-links.tsx";
import { RunsLink } from "./runs-link.tsx";

export interface FilesPageProps {
  readonly query: ListQuery;
  readonly listing: FilesListing;
  /** The number of the page, from 1. */
  readonly pageNumber: number;
  readonly view: FilesView;
  readonly nowMs: number;
  /** The largest file of the account's tier, in bytes. */
  readonly maxBytes: number;
  /** The storage that the account has left; undefined while none is used. */
  readonly leftBytes?: number | undefined;
  readonly accountId: string;
  /** Whether programs have sent files by the name of a run. */
  readonly hasRuns: boolean;
}

/**
 * Renders the list of an account's files, for finding and downloading. A script replaces it, with the same data, by a list in which files are
 * managed.
 */
export function renderFilesPage(page: PageContext, props: FilesPageProps): string {
  const { query, listing, view } = props;
  const { files: texts } = page.texts;
  const current = listing.path.at(-1);
  const isEmpty = listing.total + listing.folders.length === 0;
  return renderDocument(page, {
    title: current === undefined ? texts.title : `${fullName(current.name)} – ${texts.title}`,
    width: "wide",
    styles: ["dashboard"],
    scripts: ["files"],
    main: { "data-state": "files" },
    children: (
      <div
        id="files"
        class="account-files"
        data-list={JSON.stringify({
          query,
          listing,
          view,
          maxBytes: props.maxBytes,
          leftBytes: props.leftBytes,
          accountId: props.accountId,
          hasRuns: props.hasRuns,
        })}
        data-page={String(props.pageNumber)}
      >
        <Path page={page} path={listing.path} hasRuns={props.hasRuns} />
        <p class="quiet without-scripts">{texts.needsScripts}</p>
        {isEmpty && query.search === "" ? null : <Search page={page} query={query} />}
        {query.search === "" ? null : (
          <p class="files-found">
            {texts.found(listing.folders.length, listing.total)} <a href={filesListPath({ ...query, search: "" })}>{texts.clear}</a>
          </p>
        )}
        {isEmpty ? query.search === "" ? <Empty page={page} query={query} /> : null : <Table page={page} {...props} />}
        <NumberedPages page={page} pageNumber={props.pageNumber} total={listing.total} toPath={(number) => filesListPath(query, number)} />
      </div>
    ),
  });
}

interface PathProps {
  readonly page: PageContext;
  readonly path: FilesListing["path"];
  readonly hasRuns: boolean;
}

function Path({ page: { texts }, path, hasRuns }: PathProps) {
  const current = path.at(-1);
  return (
    <nav class="files-path" aria-label={texts.files.path}>
      {current === undefined ? null : <a href={FILES_PATH}>{texts.files.title}</a>}
      {path.slice(0, -1).map(({ id, name }) => (
        <a key={id} href={`${FILES_PATH}/${encodeURIComponent(id)}`}>
          <bdi>{fullName(name)}</bdi>
        </a>
      ))}
      <h1>{current === undefined ? texts.files.title : <bdi>{fullName(current.name)}</bdi>}</h1>
      {current === undefined && hasRuns ? <RunsLink texts={texts.files} /> : null}
    </nav>
  );
}

function Search({ page: { texts }, query }: { readonly page: PageContext; readonly query: ListQuery }) {
  const { files } = texts;
  return (
    <div class="files-bar">
      <search>
        <form class="files-search" method="get" action={folderPath(query.folderId)}>
          <input type="search" name="q" value={query.search} aria-label={files.search} placeholder={files.search} autocomplete="off" />
          <button class="button small" type="submit">
            {files.find}
          </button>
        </form>
      </search>
    </div>
  );
}

function Empty({ page: { texts }, query }: { readonly page: PageContext; readonly query: ListQuery }) {
  const isRoot = query.folderId === null;
  return (
    <EmptyState
      icon={<FolderIcon />}
      title={isRoot ? texts.files.emptyTitle : texts.files.emptyFolder}
      text={isRoot ? texts.files.emptyText : texts.files.emptyFolderText}
    >
      <a class="button" href="/">
        {texts.layout.send}
      </a>
    </EmptyState>
  );
}

function Table({ page, query, listing, nowMs, view }: FilesPageProps & { readonly page: PageContext }) {
  const { files: texts } = page.texts;
  const context: RowContext = {
    texts: page.texts,
    language: page.language,
    nowMs,
    timeZone: "UTC",
    parents: new Map(listing.parents.map((folder) => [folder.id, folder])),
  };
  const entries: readonly Entry[] = [
    ...listing.folders.map((folder) => ({ kind: "folder", folder }) as const),
    ...listing.files.map((file) => ({ kind: "file", file }) as const),
  ];
  return (
    <div role="table" class={`files-list ${view}`} aria-label={texts.list}>
      <div role="row" class="files-row files-head">
        <div role="columnheader" class="files-pick">
          <span class="unseen">{texts.pick}</span>
        </div>
        {FILE_COLUMNS.map((sort) => (
          <div key={sort} role="columnheader" class={`files-${COLUMN_OF[sort]}`} aria-sort={toAriaSort(query, sort)}>
            <a href={filesListPath(sortedBy(query, sort))}>{texts.columns[sort]}</a>
          </div>
        ))}
        <div role="columnheader" class="files-tools">
          <span class="unseen">{texts.open}</span>
        </div>
      </div>
      {entries.map((entry) => (
        <EntryRow
          key={entry.kind === "file" ? entry.file.id : entry.folder.id}
          {...context}
          entry={entry}
          cellRole="cell"
          tools={entry.kind === "file" ? <DownloadLink texts={page.texts} file={entry.file} /> : null}
        />
      ))}
    </div>
  );
}
