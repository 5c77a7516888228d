/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { FieldList } from "./fields.tsx";
import { Guide } from "./guide.tsx";
import { GUIDE_NAMES } from "./guides.ts";
import { Navigation } from "./navigation.tsx";
import { OperationArticle } from "./operation.tsx";
import { Overview } from "./overview.tsx";
import { ERRORS_SLUG } from "./paths.ts";
import { Marked } from "./prose.tsx";
import type { DocsTexts } from "./texts/en.ts";
import type { DocsGroup, DocsView } from "./view.ts";

/** Lists the slugs of all pages of the documentation. The overview has an empty slug. */
export const listSlugs = ({ groups }: Pick<DocsView, "groups">): readonly string[] => [
  "",
  ...GUIDE_NAMES,
  ...groups.map(({ slug }) => slug),
  ERRORS_SLUG,
];

/** Renders the page of the documentation with one of these slugs. */
export function renderDocsPage(page: PageContext, view: DocsView, slug: string): string {
  const texts = page.texts.docs;
  const { title, lang, description, body } = findContent(page, view, slug);
  return renderDocument(page, {
    title: slug === "" ? title : `${title} – ${texts.title}`,
    description: texts.description,
    scripts: ["page", "docs"],
    styles: ["docs-style"],
    width: "wide",
    children: (
      <div class="docs">
        <Navigation groups={view.groups} texts={texts} slug={slug} />
        <div class="docs-body">
          <header class="hero">
            <h1 lang={lang}>{title}</h1>
            <p>
              <Marked text={description} />
            </p>
          </header>
          {body}
        </div>
      </div>
    ),
  });
}

interface Content {
  readonly title: string;
  /** The language of a title that is not in the language of the page. */
  readonly lang?: "en";
  readonly description: string;
  readonly body: ComponentChildren;
}

function findContent(page: PageContext, view: DocsView, slug: string): Content {
  const texts = page.texts.docs;
  if (slug === ERRORS_SLUG) return { title: texts.errors, description: texts.errorsText, body: <Errors view={view} texts={texts} /> };
  const guide = GUIDE_NAMES.find((name) => name === slug);
  if (guide !== undefined) {
    const { title, description } = texts.guides[guide];
    return { title, description, body: <Guide page={page} name={guide} view={view} /> };
  }
  const group = view.groups.find((group) => group.slug === slug);
  if (group) return { title: group.name, lang: "en", description: texts.groupText, body: <Operations group={group} texts={texts} /> };
  return { title: texts.title, description: texts.description, body: <Overview view={view} texts={texts} /> };
}

const Operations = ({ group: { operations }, texts }: { readonly group: DocsGroup; readonly texts: DocsTexts }) => (
  <div class="docs-operations">
    {operations.map((operation) => (
      <OperationArticle key={operation.id} operation={operation} texts={texts} isOpen={operations.length === 1} />
    ))}
  </div>
);

function Errors({ view: { errors, errorFields }, texts }: { readonly view: DocsView; readonly texts: DocsTexts }) {
  return (
    <>
      <section class="docs-section">
        <h2>{texts.errorCodes}</h2>
        <dl class="codes">
          {errors.map(({ status, codes }) => (
            <div key={status} id={`status-${status}`}>
              <dt>{status}</dt>
              <dd>
                {codes.map((code) => (
                  <code key={code}>{code}</code>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <section class="docs-section">
        <h2>{texts.errorFields}</h2>
        <FieldList fields={errorFields} texts={texts} />
      </section>
    </>
  );
}
