/** @jsxImportSource preact */
import { fullName } from "../format.ts";
import { DeleteIcon, PlusIcon } from "../icons.tsx";
import { renderDocument } from "../layout.tsx";
import type { PageContext } from "../page-context.ts";
import { COLUMN_OF, toAriaSort } from "./columns.ts";
import { DownloadLink, EntryRow, type RowContext } from "./entry-row.tsx";
import {
  type Entry,
  FILE_SORTS,
  FILES_PATH,
  type FilesListing,
  type FilesView,
  type ListQuery,
  listPath,
  PAGE_SIZE,
  sortedBy,
} from "./file-views.ts";

export interface FilesPageProps {
  readonly query: ListQuery;
  readonly listing: FilesListing;
  /** From 1. */
  readonly pageNumber: number;
  readonly view: FilesView;
  readonly nowMs: number;
  /** The largest file of the account's tier. */
  readonly maxBytes: number;
  /** What the last form did, or why it did nothing. */
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

/** Renders the files of an account. A script replaces the list by one that does more, with the same data. */
export function renderFilesPage(page: PageContext, props: FilesPageProps): string {
  const { query, listing, view } = props;
  const { files: texts } = page.texts;
  const current = listing.path.at(-1);
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
        data-list={JSON.stringify({ query, listing, view, maxBytes: props.maxBytes })}
        data-page={String(props.pageNumber)}
      >
        <Path page={page} path={listing.path} />
        {props.done === undefined ? null : <p role="status">{props.done}</p>}
        {props.problem === undefined ? null : (
          <p class="problem" role="alert">
            {props.problem}
          </p>
        )}
        <Tools page={page} {...props} />
        {query.search === "" ? null : (
          <p class="files-found">
            {texts.found(listing.total + listing.folders.length)} <a href={listPath({ ...query, search: "" })}>{texts.clear}</a>
          </p>
        )}
        {listing.total + listing.folders.length === 0 ? (
          query.search === "" ? (
            <Empty page={page} query={query} />
          ) : null
        ) : (
          <Table page={page} {...props} />
        )}
        <Pages page={page} {...props} />
      </div>
    ),
  });
}

function Path({ page: { texts }, path }: { readonly page: PageContext; readonly path: FilesListing["path"] }) {
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
    </nav>
  );
}

function Tools({ page: { texts }, query }: FilesPageProps & { readonly page: PageContext }) {
  const { files } = texts;
  return (
    <div class="files-bar">
      <search>
        <form class="files-search" method="get" action={listPath({ ...query, search: "", sort: "created", order: "desc" })}>
          <input type="search" name="q" value={query.search} aria-label={files.search} placeholder={files.search} autocomplete="off" />
          <button class="button small" type="submit">
            {files.find}
          </button>
        </form>
      </search>
      <form class="files-new" method="post" action={listPath({ ...query, search: "" })}>
        <input type="hidden" name="action" value="createFolder" />
        <input
          type="text"
          name="name"
          required
          maxLength={200}
          aria-label={files.folderName}
          placeholder={files.folderName}
          autocomplete="off"
        />
        <button class="button small" type="submit">
          <PlusIcon />
          {files.newFolder}
        </button>
      </form>
    </div>
  );
}

function Empty({ page: { texts }, query }: { readonly page: PageContext; readonly query: ListQuery }) {
  const isRoot = query.folderId === null;
  return (
    <section class="card files-empty">
      <h2>{isRoot ? texts.files.emptyTitle : texts.files.emptyFolder}</h2>
      <p class="quiet">{isRoot ? texts.files.emptyText : texts.files.emptyFolderText}</p>
      <p>
        <a class="button small" href="/">
          {texts.layout.send}
        </a>
      </p>
    </section>
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
        {FILE_SORTS.map((sort) => (
          <div key={sort} role="columnheader" class={`files-${COLUMN_OF[sort]}`} aria-sort={toAriaSort(query, sort)}>
            <a href={listPath(sortedBy(query, sort))}>{texts.columns[sort]}</a>
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
          tools={<RowTools page={page} query={query} entry={entry} />}
        />
      ))}
    </div>
  );
}

function RowTools({ page: { texts }, query, entry }: { readonly page: PageContext; readonly query: ListQuery; readonly entry: Entry }) {
  const { id, name } = entry.kind === "file" ? entry.file : entry.folder;
  return (
    <>
      {entry.kind === "file" ? <DownloadLink texts={texts} file={entry.file} /> : null}
      <form method="post" action={listPath({ ...query, search: "" })}>
        <input type="hidden" name="action" value="askDelete" />
        <input type="hidden" name={entry.kind} value={id} />
        <button class="files-tool" type="submit" aria-label={texts.files.deleteName(fullName(name))} title={texts.files.delete}>
          <DeleteIcon />
        </button>
      </form>
    </>
  );
}

function Pages({ page: { texts }, query, listing, pageNumber }: FilesPageProps & { readonly page: PageContext }) {
  const pages = Math.max(1, Math.ceil(listing.total / PAGE_SIZE));
  if (pages === 1) return null;
  return (
    <nav class="pages" aria-label={texts.files.page(pageNumber, pages)}>
      {pageNumber > 1 ? (
        <a class="button plain" href={listPath(query, pageNumber - 1)}>
          {texts.files.previous}
        </a>
      ) : null}
      <span class="quiet">{texts.files.page(pageNumber, pages)}</span>
      {pageNumber < pages ? (
        <a class="button plain" href={listPath(query, pageNumber + 1)}>
          {texts.files.next}
        </a>
      ) : null}
    </nav>
  );
}
