/** The visible part of a long list. Only this part is in the document. */
import { useLayoutEffect, useState } from "preact/hooks";

/** The number of lines that are rendered above and below the visible ones. */
const SPARE_LINES = 8;
/** The number of columns that a folder takes, if there are several. */
const FOLDER_COLUMNS = 2;

export interface ListWindow {
  readonly first: number;
  /** The index after the last entry of the window. */
  readonly last: number;
  readonly columns: number;
  /** The height of the lines above the window, in pixels. */
  readonly above: number;
  readonly below: number;
  /** Returns the index of the entry in the same column a number of lines below, or above; in the first or the last line if there are fewer. */
  move(index: number, lines: number): number;
  /** Scrolls until an entry is visible. */
  reveal(index: number): void;
}

export interface WindowOptions {
  readonly list: { readonly current: HTMLElement | null };
  readonly count: number;
  /** The number of folders, which come first. Files begin a new line. */
  readonly folders: number;
  /** The height of a line of folders with the gap below it, in rem. */
  readonly folderRem: number;
  /** The height of a line of files with the gap below it, in rem. */
  readonly lineRem: number;
  readonly entryRem: number | undefined;
  readonly gapRem: number;
}

const pixelsOf = (rem: number): number => rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

export function useWindow({ list, count, folders, folderRem, lineRem, entryRem, gapRem }: WindowOptions): ListWindow {
  const [view, setView] = useState({ top: 0, height: 900, width: 0 });
  useLayoutEffect(() => {
    let frame = 0;
    const measure = () => {
      frame = 0;
      const box = list.current?.getBoundingClientRect();
      if (!box) return;
      const next = { top: Math.max(0, -box.top), height: innerHeight, width: box.width };
      setView((view) => (view.top === next.top && view.height === next.height && view.width === next.width ? view : next));
    };
    const later = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    // Also a drawer beside the list changes its width.
    const resizes = new ResizeObserver(later);
    if (list.current) resizes.observe(list.current);
    addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later);
    return () => {
      cancelAnimationFrame(frame);
      resizes.disconnect();
      removeEventListener("scroll", later);
      removeEventListener("resize", later);
    };
  }, [list, count, lineRem]);

  const [folderLine, line] = [pixelsOf(folderRem), pixelsOf(lineRem)];
  const gap = pixelsOf(gapRem);
  const columns = entryRem === undefined ? 1 : Math.max(2, Math.floor((view.width + gap) / (pixelsOf(entryRem) + gap)));
  const folderColumns = Math.max(1, Math.floor(columns / FOLDER_COLUMNS));
  const folderLines = Math.ceil(folders / folderColumns);
  const lines = folderLines + Math.ceil((count - folders) / columns);
  const topOf = (number: number): number => Math.min(number, folderLines) * folderLine + Math.max(0, number - folderLines) * line;
  const lineAt = (top: number): number => (top < topOf(folderLines) ? top / folderLine : folderLines + (top - topOf(folderLines)) / line);
  const lineOf = (index: number): number =>
    index < folders ? Math.floor(index / folderColumns) : folderLines + Math.floor((index - folders) / columns);
  /** Returns the index of the first entry of a line. */
  const firstOf = (number: number): number =>
    number < folderLines ? number * folderColumns : Math.min(count, folders + (number - folderLines) * columns);
  const firstLine = Math.min(Math.max(0, Math.floor(lineAt(view.top)) - SPARE_LINES), Math.max(0, lines - 1));
  const lastLine = Math.min(lines, Math.ceil(lineAt(view.top + view.height)) + SPARE_LINES);
  return {
    first: firstOf(firstLine),
    last: firstOf(lastLine),
    columns,
    above: topOf(firstLine),
    below: topOf(lines) - topOf(lastLine),
    move(index, by) {
      const target = Math.max(0, Math.min(lines - 1, lineOf(index) + by));
      return Math.min(firstOf(target) + index - firstOf(lineOf(index)), firstOf(target + 1) - 1);
    },
    reveal(index) {
      const box = list.current?.getBoundingClientRect();
      if (!box) return;
      const top = box.top + topOf(lineOf(index));
      // The margin keeps the entry below the header of the list and above the bar of the selection.
      const margin = line * 1.5;
      if (top < margin) scrollBy({ top: top - margin, behavior: "instant" });
      else if (top + line > innerHeight - margin) scrollBy({ top: top + line - innerHeight + margin, behavior: "instant" });
    },
  };
}
