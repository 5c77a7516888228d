/** @jsxImportSource preact */
/** The list of entries. Only the visible part is rendered, as a grid in which the keyboard moves. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { files as texts } from "#texts/files";
import { status } from "#texts/site";
import { language } from "../../site/browser/components/format.ts";
import { MoreIcon } from "../../site/icons.tsx";
import { COLUMN_OF, toAriaSort } from "../columns.ts";
import { DownloadLink, EntryRow } from "../entry-row.tsx";
import { type Entry, FILE_COLUMNS, type FileSort, type FilesView } from "../file-views.ts";
import { toEntryName } from "../shown-name.ts";
import { type ChosenEntries, countEntries } from "./calls.ts";
import type { OpenMenu } from "./entry-menu.tsx";
import type { Selection } from "./selection.ts";
import { type FilesStore, idOf } from "./store.ts";
import { useWindow } from "./use-window.ts";

/** The actions on entries of the list. */
export interface ListActions {
  open(entry: Entry): void;
  openMenu(menu: OpenMenu): void;
  sort(by: FileSort): void;
  selectAll(): void;
  remove(chosen: ChosenEntries): void;
  rename(entry: Entry): void;
  /** Moves entries to a folder of the list, or of the path. */
  moveTo(chosen: ChosenEntries, folderId: string | null): void;
}

export interface ListViewProps {
  readonly store: FilesStore;
  readonly selection: Selection;
  readonly view: FilesView;
  readonly actions: ListActions;
  /** The ID of the file whose details are open. */
  readonly shownId: string | undefined;
}

/** The media type of dragged entries. */
const DRAGGED = "application/x-filehost-entries";
const TILE = { folderRem: 4.25, lineRem: 13.75, entryRem: 11, gapRem: 0.75 };
const isPhone = matchMedia("(max-width: 48rem)");
/** On a touchscreen, a tap on a row opens it, or selects it while others are selected. */
const isTouch = matchMedia("(pointer: coarse)");
const canDrag = matchMedia("(any-pointer: fine)").matches;
const HEAD_CONTROLS = "input, button";
const TEXTS = { files: texts, status };

export function ListView({ store, selection, view, actions, shownId }: ListViewProps) {
  const rows = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  /** Whether the keyboard moved, so that the row gets the focus after it is rendered. */
  const mustFocus = useRef(false);
  const isGrid = view === "grid";
  const rowRem = isPhone.matches ? 4 : 3;
  const size = isGrid ? TILE : { folderRem: rowRem, lineRem: rowRem, entryRem: undefined, gapRem: 0 };
  const shown = useWindow({ list: rows, count: store.count, folders: store.folderCount, ...size });
  useEffect(() => store.need(shown.first, shown.last), [shown.first, shown.last, store.query, store.count]);
  /** The last element of the list that had the focus, unless another element had it since. */
  const focused = useRef<Node>(null);
  useLayoutEffect(() => {
    // The focused row was deleted, moved or scrolled out of the document.
    const isLost = focused.current?.isConnected === false && document.activeElement === document.body;
    if (!mustFocus.current && !isLost) return;
    const row = rows.current?.querySelector<HTMLElement>(`[data-index="${selection.cursor}"]`);
    if (!row) return;
    mustFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const goTo = (index: number, isExtending: boolean): void => {
    const target = Math.max(0, Math.min(store.count - 1, index));
    mustFocus.current = true;
    if (isExtending) selection.extendTo(target);
    else selection.setCursor(target);
    shown.reveal(target);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, shiftKey } = event;
    if (event.target instanceof Element && event.target.closest(".files-head")) {
      moveInHead(event);
      return;
    }
    const { cursor } = selection;
    const entry = store.at(cursor);
    const lines = Math.max(1, Math.floor(innerHeight / (isGrid ? 230 : 60)) - 2);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: shown.move(cursor, 1),
      ArrowUp: shown.move(cursor, -1),
      ...(isGrid && { ArrowRight: cursor + 1, ArrowLeft: cursor - 1 }),
      PageDown: shown.move(cursor, lines),
      PageUp: shown.move(cursor, -lines),
      Home: 0,
      End: store.count - 1,
    };
    const target = targets[key];
    if (key === "ArrowUp" && target === cursor && !shiftKey && !event.altKey)
      head.current?.querySelector<HTMLElement>(HEAD_CONTROLS)?.focus();
    else if (target !== undefined && !event.altKey) goTo(target, shiftKey);
    else if (key === " ") selection.toggle(cursor);
    else if (key === "Enter" && entry) actions.open(entry);
    else if (key === "Delete" || (key === "Backspace" && event.metaKey)) actions.remove(selection.chosen());
    else if (key === "F2" && entry) actions.rename(entry);
    else if (key.toLowerCase() === "a" && (event.ctrlKey || event.metaKey)) actions.selectAll();
    else return;
    event.preventDefault();
  };

  /** Moves between the controls of the header, and from there to the first row. The header has no Tab stop. */
  const moveInHead = (event: KeyboardEvent): void => {
    const controls = [...(head.current?.querySelectorAll<HTMLElement>(HEAD_CONTROLS) ?? [])].filter((control) => control.checkVisibility());
    const current = controls.findIndex((control) => control.matches(":focus"));
    const steps: Readonly<Record<string, number>> = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: -1 };
    const step = steps[event.key];
    if (event.key === "ArrowDown") {
      goTo(0, false);
      // Without a change of the cursor, nothing is rendered that would move the focus.
      rows.current?.querySelector<HTMLElement>('[data-index="0"]')?.focus({ preventScroll: true });
    } else if (step !== undefined) controls.at(step % controls.length)?.focus();
    else return;
    event.preventDefault();
  };

  const latest = useRef(onKeyDown);
  latest.current = onKeyDown;
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener(
      "focusin",
      ({ target }) => {
        focused.current = target instanceof Node && rows.current?.contains(target) ? target : null;
      },
      { signal },
    );
    document.addEventListener(
      "keydown",
      (event) => {
        if (event.target === document.body && focused.current) latest.current(event);
      },
      { signal },
    );
    return () => listening.abort();
  }, []);

  const select = (index: number, event: MouseEvent): void => {
    if (event.shiftKey) selection.extendTo(index);
    else if (event.ctrlKey || event.metaKey) selection.toggle(index);
    else selection.only(index);
  };

  const allSelected = store.count > 0 && selection.size >= store.count;
  return (
    <div
      role="grid"
      class={`files-list ${view}`}
      aria-label={texts.list}
      aria-multiselectable="true"
      aria-rowcount={store.count + 1}
      aria-busy={store.isLoading}
      aria-describedby="files-keys"
      onKeyDown={onKeyDown}
    >
      <div ref={head} role="row" class="files-row files-head" aria-rowindex={1}>
        <div role="columnheader" class="files-pick">
          <label>
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={texts.selectAll}
              checked={allSelected}
              indeterminate={selection.size > 0 && !allSelected}
              onChange={() => (selection.size > 0 ? selection.clear() : actions.selectAll())}
            />
          </label>
        </div>
        {FILE_COLUMNS.map((sort) => (
          <div key={sort} role="columnheader" class={`files-${COLUMN_OF[sort]}`} aria-sort={toAriaSort(store.query, sort)}>
            <button type="button" tabIndex={-1} onClick={() => actions.sort(sort)}>
              {texts.columns[sort]}
            </button>
          </div>
        ))}
        <div role="columnheader" class="files-tools">
          <span class="unseen">{texts.open}</span>
        </div>
      </div>
      <div
        ref={rows}
        class="files-rows"
        role="rowgroup"
        style={{ paddingTop: `${shown.above}px`, paddingBottom: `${shown.below}px`, "--columns": String(shown.columns) }}
      >
        {Array.from({ length: Math.max(0, shown.last - shown.first) }, (_, offset) => {
          const index = shown.first + offset;
          const entry = store.at(index);
          return entry === undefined ? (
            <Skeleton key={`empty-${index}`} index={index} />
          ) : (
            <Row
              key={idOf(entry)}
              {...{ entry, index, store, selection, actions }}
              isShown={idOf(entry) === shownId}
              onSelect={(event) => select(index, event)}
            />
          );
        })}
      </div>
      <p id="files-keys" class="unseen">
        {texts.keys}
      </p>
    </div>
  );
}

function Skeleton({ index }: { readonly index: number }) {
  return (
    <div role="row" class="files-row files-skeleton" aria-rowindex={index + 2}>
      <div role="gridcell" class="files-pick" />
      <div role="gridcell" class="files-name">
        <span class="files-blank" />
        <span class="unseen">{texts.loading}</span>
      </div>
    </div>
  );
}

interface RowProps {
  readonly entry: Entry;
  readonly index: number;
  readonly store: FilesStore;
  readonly selection: Selection;
  readonly actions: ListActions;
  readonly isShown: boolean;
  onSelect(event: MouseEvent): void;
}

function Row({ entry, index, store, selection, actions, isShown, onSelect }: RowProps) {
  const id = idOf(entry);
  const name = toEntryName(entry, texts);
  const isSelected = selection.has(id);
  const isCursor = selection.cursor === index;
  const ownChosen = (): ChosenEntries => (isSelected ? selection.chosen() : toChosenEntries(entry));
  const openMenu = (place: OpenMenu["place"]): void => {
    const chosen = ownChosen();
    actions.openMenu({ chosen, entry: countEntries(chosen) === 1 ? entry : undefined, place });
  };
  const drop = entry.kind === "folder" ? dropTarget((chosen) => actions.moveTo(chosen, id), id) : {};
  return (
    <EntryRow
      texts={TEXTS}
      language={language}
      nowMs={Date.now()}
      parents={store.parents}
      entry={entry}
      cellRole="gridcell"
      linkTabIndex={-1}
      onOpen={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) {
          event.preventDefault();
          return onSelect(event);
        }
        event.preventDefault();
        event.stopPropagation();
        if (isTouch.matches && selection.size > 0) return selection.toggle(index);
        selection.setCursor(index);
        actions.open(entry);
      }}
      row={{
        "aria-rowindex": index + 2,
        "aria-selected": isSelected,
        "aria-current": isShown ? "true" : undefined,
        tabIndex: isCursor ? 0 : -1,
        "data-index": index,
        "data-id": id,
        draggable: canDrag,
        onDragStart: (event) => event.dataTransfer?.setData(DRAGGED, JSON.stringify(ownChosen())),
        onFocus: (event) => {
          if (event.target === event.currentTarget && !isCursor) selection.setCursor(index);
        },
        onClick: (event) => {
          if (event.target instanceof Element && !event.target.closest("a, button, label, input")) onSelect(event);
        },
        onDblClick: () => {
          // The first tap has opened the row, or selected it.
          if (!isTouch.matches) actions.open(entry);
        },
        onContextMenu: (event) => {
          // With Shift, the browser shows its own menu.
          if (event.shiftKey) return;
          event.preventDefault();
          if (!isSelected) selection.only(index);
          event.currentTarget.focus({ preventScroll: true });
          openMenu({ x: event.clientX, y: event.clientY });
        },
        ...drop,
      }}
      pick={
        <label>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={texts.select(name)}
            checked={isSelected}
            onClick={(event) => {
              if (event.shiftKey) selection.extendTo(index);
              else selection.toggle(index);
            }}
          />
        </label>
      }
      tools={
        <>
          {entry.kind === "file" ? <DownloadLink texts={TEXTS} file={entry.file} tabIndex={-1} /> : null}
          <button
            class="files-tool"
            type="button"
            tabIndex={-1}
            aria-label={texts.actions(name)}
            aria-haspopup="menu"
            title={texts.actions(name)}
            onClick={({ currentTarget }) => {
              selection.setCursor(index);
              openMenu(currentTarget.getBoundingClientRect());
            }}
          >
            <MoreIcon />
          </button>
        </>
      }
    />
  );
}

export const toChosenEntries = (entry: Entry): ChosenEntries =>
  entry.kind === "file" ? { fileIds: [entry.file.id], folderIds: [] } : { fileIds: [], folderIds: [entry.folder.id] };

/** Returns the handlers of a folder on which entries can be dropped. */
export function dropTarget(onDrop: (chosen: ChosenEntries) => void, ownId?: string) {
  const has = (event: DragEvent, type: string): boolean => event.dataTransfer?.types.includes(type) ?? false;
  const hasEntries = (event: DragEvent): boolean => has(event, DRAGGED);
  return {
    onDragOver: (event: DragEvent) => {
      if (!(hasEntries(event) || (has(event, "Files") && ownId !== undefined)) || !(event.currentTarget instanceof HTMLElement)) return;
      event.preventDefault();
      event.currentTarget.classList.add("over");
    },
    onDragLeave: (event: DragEvent) => {
      if (event.currentTarget instanceof HTMLElement) event.currentTarget.classList.remove("over");
    },
    onDrop: (event: DragEvent) => {
      if (!(event.currentTarget instanceof HTMLElement)) return;
      event.currentTarget.classList.remove("over");
      // The page uploads files that are dropped from elsewhere.
      if (!hasEntries(event)) return;
      event.preventDefault();
      const chosen = JSON.parse(event.dataTransfer?.getData(DRAGGED) || "null") as ChosenEntries | null;
      if (chosen && !chosen.folderIds.includes(ownId ?? "")) onDrop(chosen);
    },
  };
}
