/** What the page of the files reacts to as a whole: keys, the browser's history, dropped and pasted files, and the return to its tab. */
import { useEffect, useRef, useState } from "preact/hooks";
import { type ListQuery, readListQuery } from "../file-views.ts";

/** The time in which several events of one return to the tab load the list once. */
const RETURN_MS = 500;

export interface PageEvents {
  /** Whether a dialog is open, which gets the keys. */
  readonly isDialogOpen: boolean;
  /** Runs with the list of the page to which the browser's history returns. */
  onBack(query: ListQuery): void;
  onSearch(): void;
  onEscape(): void;
  /** Runs with dropped or pasted files; `target` is the element on which they were dropped. */
  onDropped(data: DataTransfer, target?: EventTarget | null): void;
  /** Runs when the tab is shown again: another one may have changed the files meanwhile. */
  onReturn(): void;
}

/** Returns whether files are dragged over the page. */
export function usePageEvents(events: PageEvents): boolean {
  const [isDraggedOver, setDraggedOver] = useState(false);
  const latest = useRef(events);
  latest.current = events;

  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes("Files") ?? false;
    addEventListener(
      "popstate",
      () => {
        const folderId = /^\/files\/([^/]+)$/.exec(location.pathname)?.[1];
        latest.current.onBack(
          readListQuery(folderId === undefined ? null : decodeURIComponent(folderId), new URLSearchParams(location.search)),
        );
      },
      { signal },
    );
    addEventListener(
      "keydown",
      (event) => {
        const isTyping = event.target instanceof Element && event.target.closest("input:not([type=checkbox]), textarea, select, dialog");
        if (isTyping || latest.current.isDialogOpen || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "/") {
          event.preventDefault();
          latest.current.onSearch();
        } else if (event.key === "Escape") {
          latest.current.onEscape();
        }
      },
      { signal },
    );
    addEventListener(
      "dragover",
      (event) => {
        if (!hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        setDraggedOver(true);
      },
      { signal },
    );
    addEventListener("dragleave", (event) => event.relatedTarget === null && setDraggedOver(false), { signal });
    addEventListener(
      "drop",
      (event) => {
        setDraggedOver(false);
        if (!hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        latest.current.onDropped(event.dataTransfer, event.target);
      },
      { signal },
    );
    addEventListener(
      "paste",
      (event) => {
        if (event.clipboardData && event.clipboardData.files.length > 0) latest.current.onDropped(event.clipboardData);
      },
      { signal },
    );
    let returnedAtMs = 0;
    const onVisible = () => {
      if (document.hidden || Date.now() - returnedAtMs < RETURN_MS) return;
      returnedAtMs = Date.now();
      latest.current.onReturn();
    };
    document.addEventListener("visibilitychange", onVisible, { signal });
    addEventListener("focus", onVisible, { signal });
    addEventListener("pageshow", (event) => event.persisted && onVisible(), { signal });
    return () => listening.abort();
  }, []);

  return isDraggedOver;
}
