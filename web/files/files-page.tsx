/** @jsxImportSource preact */

import type { SellingFee } from "../../src/lib/selling-fee.ts";
import { fullName } from "../site/format.ts";
import { MoreIcon, PlusIcon, UploadIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import { Done, Problem } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { COLUMN_OF, toAriaSort } from "./columns.ts";
import { DownloadLink, EntryRow, type RowContext } from "./entry-row.tsx";
import {
  detailsPath,
  type Entry,
  FILE_COLUMNS,
  FILES_PATH,
  type FilesListing,
  type FilesView,
  type FileView,
  filesListPath,
  type ListQuery,
  RUNS_PATH,
  sortedBy,
} from "./file-views.ts";
import { NumberedPages } from "./pages.tsx";

export interface FilesPageProps {
  readonly query: ListQuery;
  readonly listing: FilesListing;
  /** From 1. */
  readonly pageNumber: number;
  readonly view: FilesView;
  readonly nowMs: number;
  /** The largest file of the account's tier. */
  readonly maxBytes: number;
  readonly accountId: string;
  /** The operator's fee, for an account that can sell. */
  readonly fee?: SellingFee | undefined;
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
        data-list={JSON.stringify({ query, listing, view, maxBytes: props.maxBytes, accountId: props.accountId, fee: props.fee })}
        data-page={String(props.pageNumber)}
      >
        <Path page={page} path={listing.path} />
        {props.done === undefined ? null : <Done>{props.done}</Done>}
        {props.problem === undefined ? null : <Problem>{props.problem}</Problem>}
        <Tools page={page} {...props} />
        {query.search === "" ? null : (
          <p class="files-found">
            {texts.found(listing.total + listing.folders.length)} <a href={filesListPath({ ...query, search: "" })}>{texts.clear}</a>
          </p>
        )}
        {listing.total + listing.folders.length === 0 ? (
          query.search === "" ? (
            <Empty page={page} query={query} />
          ) : null
        ) : (
          <form class="files-form-list" method="post" action={filesListPath({ ...query, search: "" })}>
            <ChosenBar page={page} />
            <Table page={page} {...props} />
          </form>
        )}
        <NumberedPages page={page} pageNumber={props.pageNumber} total={listing.total} toPath={(number) => filesListPath(query, number)} />
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
      {current === undefined ? (
        <a class="files-to-runs" href={RUNS_PATH}>
          {texts.files.runs}
        </a>
      ) : null}
    </nav>
  );
}

function Tools({ page: { texts }, query, listing }: FilesPageProps & { readonly page: PageContext }) {
  const { files } = texts;
  const action = filesListPath({ ...query, search: "" });
  return (
    <div class="files-bar">
      <search>
        <form class="files-search" method="get" action={filesListPath({ ...query, search: "", sort: "created", order: "desc" })}>
          <input type="search" name="q" value={query.search} aria-label={files.search} placeholder={files.search} autocomplete="off" />
          <button class="button small" type="submit">
            {files.find}
          </button>
        </form>
      </search>
      {query.folderId === null || listing.total + listing.folders.length === 0 ? null : (
        <form class="files-actions" method="post" action={action}>
          <input type="hidden" name="folder" value={query.folderId} />
          <button class="button small" type="submit" name="action" value="askShare">
            {files.share}
          </button>
          <button class="button small" type="submit" name="action" value="archive">
            {files.downloadZip}
          </button>
        </form>
      )}
      <form class="files-new" method="post" action={action}>
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
      <form class="files-new" method="post" action={action} enctype="multipart/form-data">
        <input type="file" name="file" multiple required aria-label={texts.send.chooseFiles} />
        <button class="button small" type="submit">
          <UploadIcon />
          {files.upload}
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
          pick={<Pick page={page} entry={entry} />}
          tools={entry.kind === "file" ? <FileTools page={page} file={entry.file} /> : null}
        />
      ))}
    </div>
  );
}

function Pick({ page: { texts }, entry }: { readonly page: PageContext; readonly entry: Entry }) {
  const { id, name } = entry.kind === "file" ? entry.file : entry.folder;
  return (
    <label>
      <input type="checkbox" name={entry.kind} value={id} aria-label={texts.files.select(fullName(name))} />
    </label>
  );
}

function FileTools({ page: { texts }, file }: { readonly page: PageContext; readonly file: FileView }) {
  const label = texts.files.details(fullName(file.name));
  return (
    <>
      <DownloadLink texts={texts} file={file} />
      <a class="files-tool" href={detailsPath(file.id)} aria-label={label} title={label}>
        <MoreIcon />
      </a>
    </>
  );
}

/** What can be done with the chosen entries, as the script's bar. */
function ChosenBar({ page: { texts } }: { readonly page: PageContext }) {
  const { files } = texts;
  const actions = {
    askShare: files.share,
    archive: files.downloadZip,
    askMove: files.move,
    askRename: files.rename,
    askDelete: files.delete,
  };
  return (
    <div class="files-selection files-chosen">
      <p>{files.withChosen}</p>
      <div class="files-actions">
        {Object.entries(actions).map(([action, text]) => (
          <button key={action} class="button small" type="submit" name="action" value={action}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}
