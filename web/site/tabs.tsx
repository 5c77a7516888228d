/** @jsxImportSource preact */

export interface Tab {
  readonly href: string;
  readonly text: string;
  /** How many the list has, where that is known. */
  readonly count?: string | undefined;
  readonly isCurrent: boolean;
}

/** The lists of one page. Each is a page of its own, so that its URL can be kept and the browser's history works. */
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
