/** @jsxImportSource preact */
/** The area above the list: the path, the search, and the buttons that add entries. */
import type { Ref, TargetedEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { files as texts } from "#texts/files";
import { send as sendTexts } from "#texts/sending";
import { canDrop } from "../../sending/browser/dropped-files.ts";
import { size } from "../../site/browser/components/format.ts";
import { useRovingFocus } from "../../site/browser/components/roving-focus.ts";
import { fullName } from "../../site/format.ts";
import { CrossIcon, FolderIcon, GridIcon, PlusIcon, TableIcon, UploadIcon } from "../../site/icons.tsx";
import {
  FILE_COLUMNS,
  FILE_VIEWS,
  FILES_PATH,
  type FileSort,
  type FilesView,
  filesListPath,
  type ListQuery,
  type NamedFolder,
  RUNS_PATH,
} from "../file-views.ts";
import type { ChosenEntries } from "./calls.ts";
import { dropTarget } from "./list-view.tsx";

const SEARCH_PAUSE_MS = 200;

export interface PathProps {
  readonly query: ListQuery;
  readonly path: readonly NamedFolder[];
  /** The storage that is left; undefined while none is used. */
  readonly leftBytes: number | undefined;
  readonly headingRef: Ref<HTMLHeadingElement>;
  onShow(query: ListQuery): void;
  onDrop(chosen: ChosenEntries, folderId: string | null): void;
}

/** Renders the folders above the shown one. Entries can be dropped on them. */
export function Path({ query, path, leftBytes, headingRef, onShow, onDrop }: PathProps) {
  const current = path.at(-1);
  const above: readonly (NamedFolder | undefined)[] = current === undefined ? [] : [undefined, ...path.slice(0, -1)];
  const group = useRef<HTMLDivElement>(null);
  useRovingFocus(group);
  return (
    <nav class="files-path" aria-label={texts.path}>
      {above.length === 0 ? null : (
        <div ref={group} class="files-above" role="toolbar" aria-label={texts.path}>
          {above.map((folder) => {
            const target = { ...query, folderId: folder?.id ?? null, search: "" };
            return (
              <a
                key={folder?.id ?? ""}
                href={folder === undefined ? FILES_PATH : filesListPath(target)}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                  event.preventDefault();
                  onShow(target);
                }}
                {...dropTarget((chosen) => onDrop(chosen, target.folderId))}
              >
                <bdi>{folder === undefined ? texts.title : fullName(folder.name)}</bdi>
              </a>
            );
          })}
        </div>
      )}
      <h1 ref={headingRef} tabIndex={-1}>
        <bdi>{current === undefined ? texts.title : fullName(current.name)}</bdi>
      </h1>
      {leftBytes === undefined ? null : (
        <span class="quiet files-left">{sendTexts.storageLeft(leftBytes === 0 ? undefined : size(leftBytes))}</span>
      )}
      {current === undefined ? (
        <a class="files-to-runs" href={RUNS_PATH}>
          {texts.runs}
        </a>
      ) : null}
    </nav>
  );
}

export interface ToolbarProps {
  readonly query: ListQuery;
  readonly view: FilesView;
  readonly fieldRef: { current: HTMLInputElement | null };
  onSearch(search: string): void;
  onSort(query: Pick<ListQuery, "sort" | "order">): void;
  onView(view: FilesView): void;
  onNewFolder(): void;
  onFiles(files: readonly File[]): void;
}

export function Toolbar({ query, view, fieldRef, onSearch, onSort, onView, onNewFolder, onFiles }: ToolbarProps) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const group = useRef<HTMLDivElement>(null);
  useRovingFocus(group);
  useEffect(() => {
    // The query changed in another way, for example by the browser's history.
    const field = fieldRef.current;
    if (field && document.activeElement !== field) field.value = query.search;
  }, [query]);
  const search = (pauseMs: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(fieldRef.current?.value.trim() ?? ""), pauseMs);
  };
  const receive = ({ currentTarget }: TargetedEvent<HTMLInputElement>): void => {
    const files = [...(currentTarget.files ?? [])];
    // Clearing the field allows choosing the same file again.
    currentTarget.value = "";
    onFiles(files);
  };
  return (
    <div class="files-bar">
      <search>
        <form
          class="files-search"
          onSubmit={(event) => {
            event.preventDefault();
            search(0);
          }}
        >
          <input
            ref={fieldRef}
            type="search"
            defaultValue={query.search}
            maxLength={200}
            autoComplete="off"
            aria-label={texts.search}
            aria-keyshortcuts="/"
            placeholder={texts.search}
            onInput={() => search(SEARCH_PAUSE_MS)}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || event.currentTarget.value === "") return;
              event.preventDefault();
              event.currentTarget.value = "";
              search(0);
            }}
          />
        </form>
      </search>
      <div ref={group} class="files-actions" role="toolbar" aria-label={texts.toolbar}>
        <label class="files-sort">
          <span class="unseen">{texts.sort}</span>
          <select
            value={`${query.sort} ${query.order}`}
            onChange={({ currentTarget }) => {
              const [sort = "created", order = "desc"] = currentTarget.value.split(" ") as [FileSort, ListQuery["order"]];
              onSort({ sort, order });
            }}
          >
            {FILE_COLUMNS.flatMap((sort) =>
              (["asc", "desc"] as const).map((order) => (
                <option key={sort + order} value={`${sort} ${order}`}>
                  {texts.orders[sort][order]}
                </option>
              )),
            )}
          </select>
        </label>
        <fieldset class="files-views">
          <legend class="unseen">{texts.view}</legend>
          {FILE_VIEWS.map((name) => (
            <button
              key={name}
              class="files-tool"
              type="button"
              aria-pressed={view === name}
              aria-label={texts.views[name]}
              title={texts.views[name]}
              onClick={() => onView(name)}
            >
              {name === "grid" ? <GridIcon /> : <TableIcon />}
            </button>
          ))}
        </fieldset>
        <button class="button small" type="button" id="new-folder" onClick={onNewFolder}>
          <PlusIcon />
          {texts.newFolder}
        </button>
        {canDrop ? (
          <label class="button small files-upload">
            <FolderIcon />
            {texts.uploadFolder}
            <input class="send-field" id="upload-folder" type="file" multiple {...{ webkitdirectory: true }} onChange={receive} />
          </label>
        ) : null}
        <label class="button files-upload">
          <UploadIcon />
          {texts.upload}
          <input class="send-field" id="upload-files" type="file" multiple onChange={receive} />
        </label>
      </div>
    </div>
  );
}

export interface SelectionBarProps {
  readonly count: number;
  onShare(): void;
  onDownload(): void;
  onMove(): void;
  onDelete(): void;
  /** Renames the selected entry; undefined if several are selected. */
  readonly onRename: (() => void) | undefined;
  onClear(): void;
}

/** Renders the actions for the selected entries. */
export function SelectionBar(props: SelectionBarProps) {
  return props.count === 0 ? null : <SelectionTools {...props} />;
}

function SelectionTools({ count, onShare, onDownload, onMove, onDelete, onRename, onClear }: SelectionBarProps) {
  const group = useRef<HTMLDivElement>(null);
  useRovingFocus(group);
  return (
    <div ref={group} class="files-selection" role="toolbar" aria-label={texts.selected(count)}>
      <p role="status">{texts.selected(count)}</p>
      <div class="files-actions">
        <button class="button small" type="button" onClick={onShare}>
          {texts.share}
        </button>
        <button class="button small" type="button" onClick={onDownload}>
          {texts.download}
        </button>
        <button class="button small" type="button" onClick={onMove}>
          {texts.move}
        </button>
        {onRename ? (
          <button class="button small" type="button" onClick={onRename}>
            {texts.rename}
          </button>
        ) : null}
        <button class="button small" type="button" onClick={onDelete}>
          {texts.delete}
        </button>
      </div>
      <button class="files-tool files-clear" type="button" aria-label={texts.clearSelection} title={texts.clearSelection} onClick={onClear}>
        <CrossIcon />
      </button>
    </div>
  );
}
