/** @jsxImportSource preact */

import { MCP_PATH } from "../../src/contract/endpoints.ts";
import { GUIDE_NAMES } from "./guides.ts";
import { DOCS_PATH, docsPath, ERRORS_SLUG } from "./paths.ts";
import type { DocsTexts } from "./texts/en.ts";
import type { DocsGroup } from "./view.ts";

interface NavigationProps {
  readonly groups: readonly DocsGroup[];
  readonly texts: DocsTexts;
  /** The slug of the page that is shown. */
  readonly slug: string;
}

interface PageLink {
  readonly path: string;
  readonly title: string;
  /** Names of groups are in English. */
  readonly lang?: "en";
}

/** Renders the search field, which needs a script, and links to all pages of the documentation: a list, on phones a select. */
export function Navigation({ groups, texts, slug }: NavigationProps) {
  const current = docsPath(slug);
  const sections = [
    { title: texts.guidesTitle, links: listGuideLinks(texts) },
    { title: texts.reference, links: listReferenceLinks(groups, texts) },
  ];
  const overview = { path: DOCS_PATH, title: texts.overview };
  return (
    <nav class="docs-navigation" aria-label={texts.contents}>
      <search hidden>
        <form action={DOCS_PATH}>
          <label class="unseen" for="docs-search">
            {texts.searchHint}
          </label>
          <input
            id="docs-search"
            type="search"
            name="q"
            placeholder={texts.search}
            autocomplete="off"
            spellcheck={false}
            aria-keyshortcuts="/"
          />
        </form>
      </search>
      <form class="docs-select" action={DOCS_PATH}>
        <label class="unseen" for="docs-page">
          {texts.contents}
        </label>
        <select id="docs-page" name="page">
          <Option link={overview} current={current} />
          {sections.map(({ title, links }) => (
            <optgroup key={title} label={title}>
              {links.map((link) => (
                <Option key={link.path} link={link} current={current} />
              ))}
            </optgroup>
          ))}
        </select>
        <noscript>
          <button class="button small" type="submit">
            {texts.open}
          </button>
        </noscript>
      </form>
      <ul class="docs-pages">
        <li>
          <PageAnchor link={overview} current={current} />
        </li>
        {sections.map(({ title, links }) => (
          <li key={title}>
            <span class="quiet">{title}</span>
            <ul>
              {links.map((link) => (
                <li key={link.path}>
                  <PageAnchor link={link} current={current} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface GuideLink extends PageLink {
  readonly description: string;
  /** What the search finds in addition to the title and the description. */
  readonly words: string;
}

/** Lists the guides. The guide of MCP is the page at its address. */
export const listGuideLinks = (texts: DocsTexts): readonly GuideLink[] => [
  ...GUIDE_NAMES.map((name) => {
    const { title, description, steps } = texts.guides[name];
    const words = Object.values(steps).flatMap((step) => [step.title, step.text]);
    return { path: docsPath(name), title, description, words: words.join(" ").replaceAll("`", "") };
  }),
  { path: MCP_PATH, title: texts.mcp, description: texts.mcpText, words: "" },
];

const listReferenceLinks = (groups: readonly DocsGroup[], texts: DocsTexts): readonly PageLink[] => [
  ...groups.map(({ name, slug }) => ({ path: docsPath(slug), title: name, lang: "en" as const })),
  { path: docsPath(ERRORS_SLUG), title: texts.errors },
];

interface LinkProps {
  readonly link: PageLink;
  readonly current: string;
}

const PageAnchor = ({ link: { path, title, lang }, current }: LinkProps) => (
  <a href={path} lang={lang} aria-current={path === current ? "page" : undefined}>
    {title}
  </a>
);

/** The value is the path, to which the script leads. Without it, the form sends the path, and the server redirects. */
const Option = ({ link: { path, title, lang }, current }: LinkProps) => (
  <option value={path} lang={lang} selected={path === current}>
    {title}
  </option>
);
