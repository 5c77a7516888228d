/** @jsxImportSource preact */

export interface Tab {
  readonly href: string;
  readonly text: string;
  /** The number of items in the list, if it is known. */
  readonly count?: string | undefined;
  readonly isCurrent: boolean;
}

/** Renders links to the lists of one page. Each list has a separate page, so that its URL can be bookmarked and the browser's history works. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, text, count, isCurrent }) => (
        <a key={href} href={href} aria-current={isCurrent ? "page" : undefined}>
          {text}
          {count === undefined ? null : <span class="tabs-count"> {count}</span>}
        </a>
      ))}
    </nav>
  );
}
