/** The visible part of a long list. Only this part is in the document. */
import { useLayoutEffect, useState } from "preact/hooks";

/** The number of lines that are rendered above and below the visible ones. */
const SPARE_LINES = 8;

export interface ListWindow {
  readonly first: number;
  /** The index after the last entry of the window. */
  readonly last: number;
  readonly columns: number;
  /** The height of the lines above the window, in pixels. */
  readonly above: number;
  readonly below: number;
  /** Scrolls until an entry is visible. */
  reveal(index: number): void;
}

export interface WindowOptions {
  readonly list: { readonly current: HTMLElement | null };
  readonly count: number;
  /** The height of a line with the gap below it, in rem. */
  readonly lineRem: number;
  readonly entryRem: number | undefined;
  readonly gapRem: number;
}

const pixelsOf = (rem: number): number => rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

export function useWindow({ list, count, lineRem, entryRem, gapRem }: WindowOptions): ListWindow {
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
    addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", later);
      removeEventListener("resize", later);
    };
  }, [list, count, lineRem]);

  const line = pixelsOf(lineRem);
  const gap = pixelsOf(gapRem);
  const columns = entryRem === undefined ? 1 : Math.max(2, Math.floor((view.width + gap) / (pixelsOf(entryRem) + gap)));
  const lines = Math.ceil(count / columns);
  const firstLine = Math.min(Math.max(0, Math.floor(view.top / line) - SPARE_LINES), Math.max(0, lines - 1));
  const lastLine = Math.min(lines, Math.ceil((view.top + view.height) / line) + SPARE_LINES);
  return {
    first: firstLine * columns,
    last: Math.min(count, lastLine * columns),
    columns,
    above: firstLine * line,
    below: Math.max(0, lines - lastLine) * line,
    reveal(index) {
      const box = list.current?.getBoundingClientRect();
      if (!box) return;
      const top = box.top + Math.floor(index / columns) * line;
      // The margin keeps the entry below the header of the list and above the bar of the selection.
      const margin = line * 1.5;
      if (top < margin) scrollBy({ top: top - margin, behavior: "instant" });
      else if (top + line > innerHeight - margin) scrollBy({ top: top + line - innerHeight + margin, behavior: "instant" });
    },
  };
}
