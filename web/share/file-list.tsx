/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { FileName, FileTile, LockTile } from "../site/file-name.tsx";
import { isBlocked, isDownloadable, isWaiting, toFileStatus, toneOf } from "../site/file-status.ts";
import { fullName, splitName, toFolderName } from "../site/format.ts";
import { CrossIcon, DownloadIcon, DownloadSymbol, FolderIcon, SymbolIcon } from "../site/icons.tsx";
import type { PageContext } from "../site/page-context.ts";
import { type FileInList, type FileListing, LIST_SORTS, type ListedFolder, toListQuery } from "./file-listing.ts";
import { encryptedData, Go, HiddenFields, type ShareProps, severalEncryptedData } from "./share-components.tsx";
import { mustWaitForSponsor, type ShareFile } from "./share-page-props.ts";
import { hasHiddenName, shownName } from "./share-title.ts";
import { commonStatus, type FileTotals, isOfferedNow, totalFiles } from "./share-totals.ts";
import { isReachableByUrl, listUrl, previewForm, refreshUrl, sharePath } from "./share-urls.ts";

/** The smallest number of files with tools above the list. */
const MIN_FILES_WITH_TOOLS = 12;

interface ListProps extends ShareProps {
  readonly totals: FileTotals;
}

/** Renders the list of a shipment: search, sort and view, the selection, and a page of folders and files. */
export function FileList({ page, share, totals }: ListProps) {
  const { listing } = share;
  const { list: texts } = page.texts;
  return (
    <div
      id="listing"
      data-view={listing.view}
      data-url={listUrl(share, listing)}
      data-refresh-url={refreshUrl(share)}
      {...(share.files.every(hasHiddenName) && { "data-hidden-names": "" })}
      tabIndex={-1}
    >
      <DownloadSymbol />
      <Tools page={page} share={share} totals={totals} />
      <Path page={page} share={share} />
      {listing.search === "" ? null : (
        <p class="found" data-found="">
          {texts.found(listing.count)}{" "}
          <Go share={share} change={{ search: "" }}>
            {texts.clear}
          </Go>
        </p>
      )}
      <Entries page={page} share={share} totals={totals} entries={listing} isTop />
      <Pages page={page} share={share} />
      <SelectionBar page={page} share={share} />
    </div>
  );
}

function Tools({ page, share, totals }: ListProps) {
  const { list: texts } = page.texts;
  const { listing } = share;
  if (totals.count < MIN_FILES_WITH_TOOLS) return null;
  const view = listing.shownView === "grid" ? "list" : "grid";
  // The server cannot find hidden names, and must not get what a reader searches among them: only the script uses this field.
  const form = share.files.some(hasHiddenName) ? undefined : "go";
  return (
    <div class="tools">
      <search class="search">
        <input
          form={form}
          type="search"
          name={form && "q"}
          id="search"
          value={listing.search}
          aria-label={texts.search}
          placeholder={texts.search}
          autocomplete="off"
        />
        {form === undefined ? null : (
          <button form={form} class="button small" type="submit">
            {texts.find}
          </button>
        )}
      </search>
      <select form="order" name="go" id="sort" aria-label={texts.sort}>
        {LIST_SORTS.map((sort) => (
          <option key={sort} value={toListQuery({ ...listing, page: 1, sort })} selected={listing.sort === sort}>
            {texts.sorts[sort]}
          </option>
        ))}
      </select>
      <button form="order" class="button small" type="submit">
        {texts.sort}
      </button>
      <Go share={share} change={{ view }} class="view">
        {texts.views[view]}
      </Go>
      {view === "grid" && share.files.some(({ isEncrypted }) => isEncrypted) ? (
        <template data-grid-view="">
          <Go share={share} change={{ view: "list" }} class="view">
            {texts.views.list}
          </Go>
        </template>
      ) : null}
    </div>
  );
}

/** Renders the forms of the fields and buttons that show another part of the list: `go` for the search and the buttons, `order` for the order. */
export function ListForms({ share }: Pick<ShareProps, "share">) {
  const { sort, view } = share.listing;
  return (
    <>
      <ListForm share={share} id="go">
        {sort === "name" ? null : <input type="hidden" name="sort" value={sort} />}
        {view === undefined ? null : <input type="hidden" name="view" value={view} />}
      </ListForm>
      {share.files.length < MIN_FILES_WITH_TOOLS ? null : <ListForm share={share} id="order" />}
    </>
  );
}

function ListForm({ share, id, children }: Pick<ShareProps, "share"> & { readonly id: string; readonly children?: ComponentChildren }) {
  const byUrl = isReachableByUrl(share.access);
  const action = byUrl
    ? (listUrl(share, { ...share.listing, folder: "", search: "", page: 1 }) ?? "").split("?", 1)[0]
    : sharePath(share, "/unlock");
  return (
    <form id={id} method={byUrl ? "get" : "post"} action={action} hidden>
      {byUrl ? null : <HiddenFields share={share} />}
      {byUrl && share.wait !== undefined ? <input type="hidden" name="ready" value={share.wait.token} /> : null}
      {children}
    </form>
  );
}

/** Renders the folders above the shown one; nothing at the top, where all files are. */
function Path({ page, share }: ShareProps) {
  const { root, folder } = share.listing;
  const { list: texts } = page.texts;
  const rootName = root === "" ? texts.allFiles : toFolderName(root);
  if (folder === root) return null;
  const above = folder
    .slice(root.length)
    .split("/")
    .filter((name) => name !== "");
  const steps = above.map((name, index) => ({
    name: fullName(name),
    path: [root, ...above.slice(0, index + 1)].filter((part) => part !== "").join("/"),
  }));
  return (
    <nav class="path" aria-label={texts.path}>
      {[{ name: rootName, path: root }, ...steps].map(({ name, path }) => (
        <span key={path}>
          {path === folder ? (
            <bdi aria-current="location">{name}</bdi>
          ) : (
            <Go share={share} change={{ folder: path, search: "" }}>
              <bdi>{name}</bdi>
            </Go>
          )}
        </span>
      ))}
    </nav>
  );
}

interface EntriesProps extends ListProps {
  readonly entries: Pick<FileListing<ShareFile>, "folders" | "files">;
  readonly isTop?: boolean;
}

function Entries({ entries: { folders, files }, isTop, ...list }: EntriesProps) {
  const common = commonStatus(list.totals);
  return (
    <ul class={`entries ${list.share.listing.shownView}`} {...(isTop ? { id: "entries" } : {})}>
      {folders.map((folder) => (
        <Folder key={folder.path} folder={folder} {...list} />
      ))}
      {files.map((entry) => (
        <Row key={entry.file.id} entry={entry} common={common} {...list} />
      ))}
    </ul>
  );
}

function Folder({ folder, ...list }: ListProps & { readonly folder: ListedFolder<ShareFile> }) {
  const { page, share } = list;
  const { texts, language } = page;
  const totals = totalFiles(folder.files);
  const name = toFolderName(folder.name);
  const facts = [
    texts.share.files(totals.count),
    ...(totals.sizeBytes === null ? [] : [formatSize(totals.sizeBytes, language)]),
    ...(totals.ready < totals.count ? [texts.share.readyOf(totals.ready, totals.count)] : []),
  ];
  return (
    <li class="folder">
      <Pick
        name="selectFolder"
        value={folder.path}
        label={`${texts.list.select} ${name}`}
        sizeBytes={totals.readyBytes}
        count={totals.ready}
      />
      <details data-folder={folder.path} open={folder.contents !== undefined}>
        <summary>
          <FolderIcon />
          <span class="what">
            <span class="name">
              <bdi>{name}</bdi>
            </span>
            <span class="quiet block">{facts.join(" · ")}</span>
          </span>
        </summary>
        {folder.contents === undefined ? (
          <p class="open-folder">
            <Go share={share} change={{ folder: folder.path, search: "" }} adds>
              {texts.list.openFolder}
              <span class="unseen"> {name}</span>
            </Go>
          </p>
        ) : (
          <Entries entries={folder.contents} {...list} />
        )}
      </details>
    </li>
  );
}

interface RowProps extends ListProps {
  readonly entry: FileInList<ShareFile>;
  /** The status of all files, which is not repeated in each row. */
  readonly common: ReturnType<typeof commonStatus>;
}

function Row({ page, share, entry, common, totals }: RowProps) {
  const { file } = entry;
  const label = hasHiddenName(file) ? shownName(page, file) : entry.label;
  const status = toFileStatus(file);
  const isOffered = isOfferedNow(file) && !mustWaitForSponsor(share);
  const size = file.sizeBytes === null ? "" : formatSize(file.sizeBytes, page.language);
  const left = describeLeft(page, share, file);
  const { stem, extension } = splitName(label);
  const isNoted = toneOf(status) !== "good" && status !== common;
  return (
    <li class={isBlocked(status) ? "blocked" : undefined}>
      {totals.count > 1 ? (
        <Pick name="select" value={file.id} labelledBy={`n-${file.id}`} sizeBytes={file.sizeBytes ?? 0} count={1} disabled={!isOffered} />
      ) : null}
      <Thumbnail file={file} name={label} />
      <div class="what">
        <p class="name" id={`n-${file.id}`}>
          {file.hasPreview ? <PreviewLink page={page} share={share} file={file} label={label} /> : <FileName name={label} />}
        </p>
        <p class="quiet">
          {size}
          {left === "" ? null : <span data-row-left="">{size === "" ? left : ` · ${left}`}</span>}
          {isNoted ? <Word page={page} status={status} hasFacts={size !== "" || left !== ""} /> : null}
        </p>
        {status === "uploading" && file.receivedBytes != null && file.sizeBytes ? (
          <progress value={file.receivedBytes} max={file.sizeBytes} aria-labelledby={`n-${file.id}`} />
        ) : null}
      </div>
      {isDownloadable(status) || isWaiting(status) ? (
        <button class="button small get" type="submit" name="fileId" value={file.id} disabled={!isOffered} {...encryptedData(page, file)}>
          <SymbolIcon />
          <span class="unseen">
            {page.texts.share.download} {stem + extension}
          </span>
        </button>
      ) : null}
    </li>
  );
}

interface PreviewLinkProps extends ShareProps {
  readonly file: ShareFile;
  readonly label: string;
}

/** Renders the link to a file's preview: a URL, or a button of the list's form if only the form has the token of an unlocked share. */
function PreviewLink({ page, share, file, label }: PreviewLinkProps) {
  const { method, action, fields } = previewForm(share, file.id);
  const attributes = {
    title: page.texts.preview.label(fullName(label)),
    "data-preview": file.id,
    ...(file.contentType?.startsWith("image/") && { "data-kind": "photo" }),
  };
  return method === "get" ? (
    <a href={`${action}?${new URLSearchParams(fields)}#preview`} {...attributes}>
      <FileName name={label} />
    </a>
  ) : (
    <button class="link" type="submit" formAction={action} name="fileId" value={file.id} {...attributes}>
      <FileName name={label} />
    </button>
  );
}

function Word({
  page,
  status,
  hasFacts,
}: {
  readonly page: PageContext;
  readonly status: ReturnType<typeof toFileStatus>;
  readonly hasFacts: boolean;
}) {
  return (
    <>
      {hasFacts ? " · " : ""}
      <span class={isDownloadable(status) ? "word" : `word ${toneOf(status)}`}>{page.texts.status[status].word}</span>
    </>
  );
}

/** Describes the remaining downloads of a file. `One download each` is shown once for all files. */
const describeLeft = ({ texts }: PageContext, { once }: ShareProps["share"], { downloadsLeft }: ShareFile): string =>
  downloadsLeft === null || (once && downloadsLeft > 0) ? "" : texts.share.fileLeft(downloadsLeft);

/** Renders the thumbnail of a file, or a tile if it has none. `name` is what the list calls it. */
export function Thumbnail({ file, name = file.name }: { readonly file: ShareFile; readonly name?: string }) {
  if (file.thumbnailUrl === null) return hasHiddenName(file) ? <LockTile /> : <FileTile name={name} />;
  return (
    <img
      class="thumbnail"
      src={file.thumbnailUrl}
      width={file.thumbnailWidth ?? undefined}
      height={file.thumbnailHeight ?? undefined}
      alt=""
      loading="lazy"
      decoding="async"
    />
  );
}

interface PickProps {
  readonly name: string;
  readonly value: string;
  readonly label?: string;
  readonly labelledBy?: string;
  readonly sizeBytes: number;
  readonly count: number;
  readonly disabled?: boolean;
}

/** Renders a check box that selects a file or folder for the ZIP. */
function Pick({ name, value, label, labelledBy, sizeBytes, count, disabled }: PickProps) {
  return (
    <label class="pick">
      <input
        type="checkbox"
        name={name}
        value={value}
        aria-label={label}
        aria-labelledby={labelledBy}
        disabled={disabled}
        data-bytes={sizeBytes}
        data-count={count === 1 ? undefined : count}
      />
    </label>
  );
}

/** Renders links to the other pages of a long list. Scripts add the next page to the current one. */
function Pages({ page: { texts }, share }: ShareProps) {
  const { page, pageCount, count, folders, files } = share.listing;
  if (pageCount === 1) return null;
  const rest = count - (page - 1) * (folders.length + files.length) - folders.length - files.length;
  return (
    <nav class="pages" aria-label={texts.list.page(page, pageCount)}>
      {page > 1 ? (
        <Go share={share} change={{ page: page - 1 }} class="button plain">
          {texts.list.previous}
        </Go>
      ) : null}
      <span class="quiet">{texts.list.page(page, pageCount)}</span>
      {page < pageCount ? (
        <Go share={share} change={{ page: page + 1 }} adds class="button plain">
          <span data-more={texts.list.showMore(Math.min(rest, folders.length + files.length))}>{texts.list.next}</span>
        </Go>
      ) : null}
    </nav>
  );
}

/** Renders the download of the selected files. Scripts show it with count and size while entries are selected. */
function SelectionBar({ page, share }: ShareProps) {
  const { texts } = page;
  if (share.files.length < 2) return null;
  return (
    <div class="selection" id="selection">
      <button
        class="button"
        type="submit"
        formAction={sharePath(share, "/archive")}
        name="selected"
        value="true"
        disabled={mustWaitForSponsor(share)}
        data-selected=""
        {...severalEncryptedData(share, 0)}
      >
        <DownloadIcon />
        <span>
          <span data-label="">{texts.list.downloadSelected}</span> <span class="aside" data-size="" />
        </span>
      </button>
      <button class="button plain" type="reset" hidden data-clear="">
        <CrossIcon />
        <span class="clear">{texts.list.clearSelection}</span>
      </button>
    </div>
  );
}
