/** @jsxImportSource preact */
/** The area above the list: the path, the search, the view, and the buttons that add entries. */
import type { ComponentChildren, Ref, TargetedEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { send as sendTexts } from "#texts/sending";
import { canDrop } from "../../sending/browser/dropped-files.ts";
import { size } from "../../site/browser/components/format.ts";
import { Menu, type MenuItem } from "../../site/browser/components/menu.tsx";
import { useRovingFocus } from "../../site/browser/components/roving-focus.ts";
import { fullName } from "../../site/format.ts";
import { CrossIcon, FolderIcon, GridIcon, PlusIcon, TableIcon, TickIcon, UploadIcon } from "../../site/icons.tsx";
import { FILE_VIEWS, type FileSort, type FilesView, filesListPath, inFolder, type ListQuery, type NamedFolder } from "../file-views.ts";
import { RunsLink } from "../runs-link.tsx";
import type { ChosenEntries } from "./calls.ts";
import { dropTarget } from "./list-view.tsx";

const SEARCH_PAUSE_MS = 200;

export interface PathProps {
  readonly query: ListQuery;
  readonly path: readonly NamedFolder[];
  /** The storage that is left; undefined while none is used. */
  readonly leftBytes: number | undefined;
  /** Whether programs have sent files by the name of a run. */
  readonly hasRuns: boolean;
  readonly headingRef: Ref<HTMLHeadingElement>;
  onShow(query: ListQuery): void;
  onDrop(chosen: ChosenEntries, folderId: string | null): void;
}

/** Renders the folders above the shown one. Entries can be dropped on them. */
export function Path({ query, path, leftBytes, hasRuns, headingRef, onShow, onDrop }: PathProps) {
  const current = path.at(-1);
  const above: readonly (NamedFolder | undefined)[] = current === undefined ? [] : [undefined, ...path.slice(0, -1)];
  const group = useRef<HTMLDivElement>(null);
  useRovingFocus(group);
  return (
    <nav class="files-path" aria-label={texts.path}>
      {above.length === 0 ? null : (
        <div ref={group} class="files-above" role="toolbar" aria-label={texts.path}>
          {above.map((folder) => {
            const target = inFolder(query, folder?.id ?? null);
            return (
              <a
                key={folder?.id ?? ""}
                href={filesListPath(target)}
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
      {hasRuns && current === undefined ? <RunsLink texts={texts} /> : null}
    </nav>
  );
}

/** Ways to add entries to the open folder. */
export interface Additions {
  onNewFolder(): void;
  /** Asks for files to upload, or for a folder. */
  choose(what: "files" | "folder"): void;
}

interface Addition {
  readonly label: string;
  readonly icon: ComponentChildren;
  run(): void;
}

/** Lists the ways to add entries, the most frequent one first. */
const toAdditions = ({ onNewFolder, choose }: Additions): readonly Addition[] => [
  { label: texts.upload, icon: <UploadIcon />, run: () => choose("files") },
  // Phones cannot choose folders.
  ...(canDrop ? [{ label: texts.uploadFolder, icon: <FolderIcon />, run: () => choose("folder") }] : []),
  { label: texts.newFolder, icon: <PlusIcon />, run: onNewFolder },
];

/** Renders the buttons that add entries. */
export function AddButtons(additions: Additions) {
  return (
    <>
      {toAdditions(additions).map(({ label, icon, run }, index) => (
        <button key={label} class={index === 0 ? "button" : "button small"} type="button" onClick={run}>
          {icon}
          {label}
        </button>
      ))}
    </>
  );
}

export interface FilePickersProps {
  /** Receives the function that asks for files or a folder. */
  readonly chooseRef: { current: Additions["choose"] };
  onFiles(files: readonly File[]): void;
}

/** Renders the fields with which the browser asks for files. The buttons of the toolbar and of its menu open them. */
export function FilePickers({ chooseRef, onFiles }: FilePickersProps) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  chooseRef.current = (what) => (what === "files" ? files : folder).current?.click();
  const receive = ({ currentTarget }: TargetedEvent<HTMLInputElement>): void => {
    const chosen = [...(currentTarget.files ?? [])];
    // Clearing the field allows choosing the same file again.
    currentTarget.value = "";
    onFiles(chosen);
  };
  return (
    <div hidden>
      <input ref={files} id="upload-files" type="file" multiple onChange={receive} />
      {canDrop ? <input ref={folder} id="upload-folder" type="file" multiple {...{ webkitdirectory: true }} onChange={receive} /> : null}
    </div>
  );
}

export interface ToolbarProps extends Additions {
  readonly query: ListQuery;
  readonly view: FilesView;
  readonly fieldRef: { current: HTMLInputElement | null };
  onSearch(search: string): void;
  onSort(query: Pick<ListQuery, "sort" | "order">): void;
  onView(view: FilesView): void;
}

/** A menu of the toolbar, below its button. */
interface OpenMenu {
  readonly name: "view" | "add";
  readonly place: DOMRect;
}

export function Toolbar({ query, view, fieldRef, onSearch, onSort, onView, ...additions }: ToolbarProps) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const group = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<OpenMenu>();
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
  const opener = (name: OpenMenu["name"], label: string, icon: ComponentChildren) => (
    <button
      class={name === "add" ? "button files-add" : "button small files-view"}
      type="button"
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      aria-expanded={menu?.name === name}
      onClick={({ currentTarget }) => setMenu({ name, place: currentTarget.getBoundingClientRect() })}
    >
      {icon}
      {name === "view" ? <span class="files-view-word">{label}</span> : null}
    </button>
  );
  return (
    <div ref={group} class="files-bar" role="toolbar" aria-label={texts.toolbar}>
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
      <div class="files-actions">
        {opener("view", texts.view, view === "grid" ? <GridIcon /> : <TableIcon />)}
        {opener("add", texts.add, <PlusIcon />)}
        <AddButtons {...additions} />
      </div>
      {menu ? (
        <Menu
          label={menu.name === "view" ? texts.view : texts.add}
          items={menu.name === "view" ? toViewItems({ query, view, onSort, onView }) : toAdditions(additions)}
          place={menu.place}
          onClose={() => setMenu(undefined)}
        />
      ) : null}
    </div>
  );
}

/** The orders of the menu, as the columns and directions that have a text. */
const ORDERS = Object.keys(texts.orders) as (keyof typeof texts.orders)[];

/** Lists the views and the orders. */
function toViewItems({ query, view, onSort, onView }: Pick<ToolbarProps, "query" | "view" | "onSort" | "onView">): readonly MenuItem[] {
  const choice = (label: string, isChecked: boolean, run: () => void, isSeparated = false): MenuItem => ({
    label,
    icon: <TickIcon />,
    isChecked,
    isSeparated,
    run,
  });
  return [
    ...FILE_VIEWS.map((name) => choice(texts.views[name], view === name, () => onView(name))),
    ...ORDERS.map((name, index) => {
      const [sort, order] = name.split(" ") as [FileSort, ListQuery["order"]];
      return choice(texts.orders[name], `${query.sort} ${query.order}` === name, () => onSort({ sort, order }), index === 0);
    }),
  ];
}

export interface SelectionBarProps {
  readonly count: number;
  onShare(): void;
  onDownload(): void;
  onMove(): void;
  onDelete(): void;
  /** Renames the selected entry; undefined if several are selected. */
  readonly onRename: (() => void) | undefined;
  /** Selects all entries; undefined if all are selected. */
  readonly onSelectAll: (() => void) | undefined;
  onClear(): void;
}

/** Renders the actions for the selected entries. */
export function SelectionBar(props: SelectionBarProps) {
  return props.count === 0 ? null : <SelectionTools {...props} />;
}

function SelectionTools({ count, onShare, onDownload, onMove, onDelete, onRename, onSelectAll, onClear }: SelectionBarProps) {
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
      {onSelectAll ? (
        <button class="link files-all" type="button" onClick={onSelectAll}>
          {texts.selectAll}
        </button>
      ) : null}
      <button class="files-tool files-clear" type="button" aria-label={texts.clearSelection} title={texts.clearSelection} onClick={onClear}>
        <CrossIcon />
      </button>
    </div>
  );
}
