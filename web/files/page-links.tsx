/** @jsxImportSource preact */
import type { PageContext } from "../site/page-context.ts";
import { PAGE_SIZE } from "./file-views.ts";

export interface NumberedPagesProps {
  readonly page: PageContext;
  /** The number of the page, from 1. */
  readonly pageNumber: number;
  /** The number of items on all pages. */
  readonly total: number;
  toPath(pageNumber: number): string;
}

/** Renders the links to the previous and the next page; nothing for a single page. */
export function NumberedPages({ page: { texts }, pageNumber, total, toPath }: NumberedPagesProps) {
  const pages = Math.max(1, Math.ceil(total / PAGE_SIZE));
  if (pages === 1) return null;
  return (
    <nav class="pages" aria-label={texts.files.page(pageNumber, pages)}>
      {pageNumber > 1 ? (
        <a class="button plain" href={toPath(pageNumber - 1)}>
          {texts.files.previous}
        </a>
      ) : null}
      <span class="quiet">{texts.files.page(pageNumber, pages)}</span>
      {pageNumber < pages ? (
        <a class="button plain" href={toPath(pageNumber + 1)}>
          {texts.files.next}
        </a>
      ) : null}
    </nav>
  );
}
