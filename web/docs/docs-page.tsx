/** @jsxImportSource preact */
import { MCP_PATH } from "../../src/contract/endpoints.ts";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { FieldList } from "./fields.tsx";
import { Navigation } from "./navigation.tsx";
import { Example, OperationArticle } from "./operation.tsx";
import { Marked } from "./prose.tsx";
import type { DocsTexts } from "./texts/en.ts";
import type { DocsView } from "./view.ts";

/** Renders the API reference. */
export function renderDocsPage(page: PageContext, view: DocsView): string {
  const texts = page.texts.docs;
  return renderDocument(page, {
    title: texts.title,
    description: texts.description,
    scripts: ["page", "docs"],
    styles: ["docs-style"],
    width: "wide",
    children: (
      <div class="docs">
        <header class="hero">
          <h1>{texts.title}</h1>
          <p>{texts.description}</p>
        </header>
        <Navigation groups={view.groups} texts={texts} />
        <div class="docs-body">
          <p class="quiet" role="status" data-no-results={texts.noResults} />
          <Basics view={view} texts={texts} />
          {view.groups.map(({ name, anchor, operations }) => (
            <section key={anchor} class="docs-group" id={anchor}>
              <h2 lang="en">{name}</h2>
              {operations.map((operation) => (
                <OperationArticle key={operation.id} operation={operation} texts={texts} />
              ))}
            </section>
          ))}
          <Errors view={view} texts={texts} />
        </div>
      </div>
    ),
  });
}

interface SectionProps {
  readonly view: DocsView;
  readonly texts: DocsTexts;
}

function Basics({ view: { apiUrl }, texts }: SectionProps) {
  return (
    <section class="docs-group docs-basics" id="basics">
      <h2>{texts.basics}</h2>
      <Example id="base-url" title={texts.baseUrl} text={apiUrl} texts={texts} />
      <dl>
        <div>
          <dt>{texts.keys}</dt>
          <dd>
            <p>
              <Marked text={texts.keysText} />
            </p>
            <ul>
              {Object.entries(texts.scopes).map(([scope, does]) => (
                <li key={scope}>
                  <code>{scope}</code> <Marked text={does} />
                </li>
              ))}
            </ul>
          </dd>
        </div>
        <div>
          <dt>{texts.retries}</dt>
          <dd>
            <p>
              <Marked text={texts.retriesText} />
            </p>
          </dd>
        </div>
        <div>
          <dt>{texts.programs}</dt>
          <dd>
            <p>
              <a href="/agent-openapi.json">{texts.openApi}</a> · <a href="/llms.txt">{texts.llms}</a> · <a href={MCP_PATH}>{texts.mcp}</a>
            </p>
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Errors({ view: { errors, errorFields }, texts }: SectionProps) {
  return (
    <section class="docs-group docs-errors" id="errors">
      <h2>{texts.errors}</h2>
      <p>
        <Marked text={texts.errorsText} />
      </p>
      <h3>{texts.errorCodes}</h3>
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
      <FieldList fields={errorFields} texts={texts} />
    </section>
  );
}
