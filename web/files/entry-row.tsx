/** @jsxImportSource preact */
import type { ComponentChildren, HTMLAttributes } from "preact";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { FileName, FileTile, LockTile } from "../site/file-name.tsx";
import { fullName } from "../site/format.ts";
import { DownloadIcon, FolderIcon, LockIcon } from "../site/icons.tsx";
import type { Language } from "../texts/languages.ts";
import { type FilesTextsInUse, isFileDownloadable, toShownState } from "./file-state.ts";
import { downloadPath, type Entry, FILES_PATH, type FileView, type FolderView, type NamedFolder } from "./file-views.ts";
import { formatExactDate, formatShortDate } from "./short-date.ts";
import { findOwnName, isUnnamed, toEntryName, toShownName } from "./shown-name.ts";

/** The context in which rows are rendered. */
export interface RowContext {
  readonly texts: FilesTextsInUse;
  readonly language: Language;
  readonly nowMs: number;
  /** The time zone; default: the browser's. */
  readonly timeZone?: string;
  /** The folders of a search's results, by ID. */
  readonly parents?: ReadonlyMap<string, NamedFolder>;
}

export interface RowProps extends RowContext {
  readonly entry: Entry;
  /** The role of cells: `gridcell` in a list that scripts manage. */
  readonly cellRole: "cell" | "gridcell";
  /** The check box, if rows can be selected. */
  readonly pick?: ComponentChildren;
  readonly tools: ComponentChildren;
  readonly row?: HTMLAttributes<HTMLDivElement> & Readonly<Record<`data-${string}`, string | number>>;
  readonly linkTabIndex?: number;
  readonly onOpen?: (event: MouseEvent) => void;
}

/** Renders a folder or file of the list: a row of the table, or a tile of the grid. */
export function EntryRow({ entry, cellRole, pick, tools, row, linkTabIndex, onOpen, ...context }: RowProps) {
  const { texts, language, nowMs } = context;
  const isFolder = entry.kind === "folder";
  const name = toEntryName(entry, texts.files);
  const state = isFolder ? undefined : toShownState(texts, language, entry.file, nowMs);
  const size = isFolder ? toContent(entry.folder, context) : formatSize(entry.file.size, language);
  const parent = context.parents?.get((isFolder ? entry.folder.parent_id : entry.file.folderId) ?? "");
  const href = isFolder ? `${FILES_PATH}/${encodeURIComponent(entry.folder.id)}` : entry.file.sharePath;
  return (
    <div role="row" class={isFolder ? "files-row folder" : "files-row"} {...row}>
      <div role={cellRole} class="files-pick">
        {pick}
      </div>
      <div role={cellRole} class="files-name">
        <Picture entry={entry} />
        <span class="files-text">
          <a href={href} tabIndex={linkTabIndex} onClick={onOpen} draggable={false} class="files-link" title={name} aria-label={name}>
            {isFolder ? <bdi>{name}</bdi> : <FileName name={name} />}
            {isFolder || findOwnName(entry.file) === undefined ? null : <LockIcon />}
          </a>
          {parent === undefined ? null : (
            <span class="files-parent quiet">
              <FolderIcon /> <bdi>{fullName(parent.name)}</bdi>
            </span>
          )}
          <span class={state === undefined ? "files-sub quiet plain" : "files-sub quiet"} title={state?.text}>
            {state === undefined ? null : <span class={`files-word ${state.tone}`}>{state.text}</span>}
            <span class="files-sub-facts">
              {state === undefined ? null : " · "}
              {size}
            </span>
          </span>
        </span>
      </div>
      <div role={cellRole} class="files-size">
        {size}
      </div>
      <div role={cellRole} class="files-date">
        <Added entry={entry} {...context} />
      </div>
      <div role={cellRole} class="files-tools">
        {tools}
      </div>
    </div>
  );
}

function toContent({ folder_count: folders = 0, file_count: files = 0 }: FolderView, { texts }: RowContext): string {
  return [folders > 0 && texts.files.folderFolders(folders), files > 0 && texts.files.folderFiles(files)].filter(Boolean).join(", ");
}

function Picture({ entry }: { readonly entry: Entry }) {
  if (entry.kind === "folder")
    return (
      <span class="files-picture tile folder-tile" aria-hidden="true">
        <FolderIcon />
      </span>
    );
  const { thumbnailUrl } = entry.file;
  return (
    <span class="files-picture" aria-hidden="true">
      {thumbnailUrl === null ? (
        <NameTile file={entry.file} />
      ) : (
        <img src={thumbnailUrl} alt="" loading="lazy" decoding="async" draggable={false} />
      )}
    </span>
  );
}

/** Renders the tile of a file by its name, or a lock if only its hidden name is known. */
export function NameTile({ file }: { readonly file: Pick<FileView, "name" | "encrypted"> }) {
  return isUnnamed(file) ? <LockTile /> : <FileTile name={findOwnName(file) ?? file.name} />;
}

function Added({ entry, language, nowMs, timeZone }: RowContext & { readonly entry: Entry }) {
  const time = entry.kind === "folder" ? entry.folder.created_at : entry.file.createdAt;
  const timeMs = Date.parse(time);
  return (
    <time dateTime={time} title={formatExactDate(timeMs, language, timeZone)}>
      {formatShortDate(timeMs, nowMs, language, timeZone)}
    </time>
  );
}

/** Renders the link that downloads a file; nothing for a file that cannot be downloaded. */
export function DownloadLink({
  texts,
  file,
  tabIndex,
}: {
  readonly texts: FilesTextsInUse;
  readonly file: FileView;
  readonly tabIndex?: number;
}) {
  if (!isFileDownloadable(file)) return null;
  const label = texts.files.downloadName(toShownName(file, texts.files));
  return (
    <a
      class="files-tool"
      href={downloadPath(file.id)}
      download=""
      aria-label={label}
      title={texts.files.download}
      tabIndex={tabIndex}
      draggable={false}
    >
      <DownloadIcon />
    </a>
  );
}
