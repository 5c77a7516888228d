/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { FileName } from "../site/file-name.tsx";
import { isBlocked, isDownloadable, isWaiting, toFileStatus, toneOf } from "../site/file-status.ts";
import { fullName, splitName, toFolderName } from "../site/format.ts";
import { FolderIcon, SymbolIcon } from "../site/icons.tsx";
import type { PageContext } from "../site/page-context.ts";
import type { FileInList, FileListing, ListedFolder } from "./file-listing.ts";
import { encryptedData, Go, type ShareProps, type ShipmentProps } from "./share-components.tsx";
import { mustWaitForSponsor, type ShareFile } from "./share-page-props.ts";
import { hasHiddenName, shownName } from "./share-title.ts";
import { commonStatus, isOfferedNow, totalFiles } from "./share-totals.ts";
import { previewForm } from "./share-urls.ts";
import { Thumbnail } from "./thumbnail-image.tsx";

interface EntriesProps extends ShipmentProps {
  readonly entries: Pick<FileListing<ShareFile>, "folders" | "files">;
  readonly isTop?: boolean;
}

/** Renders folders, then files. */
export function Entries({ entries: { folders, files }, isTop, ...list }: EntriesProps) {
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

function Folder({ folder, ...list }: ShipmentProps & { readonly folder: ListedFolder<ShareFile> }) {
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

interface RowProps extends ShipmentProps {
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
