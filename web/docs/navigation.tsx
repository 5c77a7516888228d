/** @jsxImportSource preact */

import { Verb } from "./operation.tsx";
import type { DocsTexts } from "./texts/en.ts";
import type { DocsGroup } from "./view.ts";

interface NavigationProps {
  readonly groups: readonly DocsGroup[];
  readonly texts: DocsTexts;
}

/** Renders the search field, which requires a script, and links to the sections. Phones only show the links to groups. */
export function Navigation({ groups, texts }: NavigationProps) {
  return (
    <nav class="docs-navigation" aria-label={texts.contents}>
      <search hidden>
        <label class="unseen" for="docs-search">
          {texts.searchHint}
        </label>
        <input id="docs-search" type="search" placeholder={texts.search} autocomplete="off" spellcheck={false} aria-keyshortcuts="/" />
      </search>
      <ul class="docs-groups">
        <li>
          <a href="#basics">{texts.basics}</a>
        </li>
        {groups.map(({ name, anchor, operations }) => (
          <li key={anchor}>
            <a href={`#${anchor}`} lang="en">
              {name}
            </a>
            <ul lang="en">
              {operations.map(({ id, method }) => (
                <li key={id}>
                  <a href={`#${id}`}>
                    <span>{toWords(id)}</span>
                    <Verb method={method} />
                  </a>
                </li>
              ))}
            </ul>
          </li>
        ))}
        <li>
          <a href="#errors">{texts.errors}</a>
        </li>
      </ul>
    </nav>
  );
}

/** Converts `batchPartUrls` to `Batch part URLs`. */
function toWords(id: string): string {
  const words = id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/\burls\b/, "URLs");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
