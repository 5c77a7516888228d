/** @jsxImportSource preact */
import { MCP_PATH } from "../../src/contract/endpoints.ts";
import { listGuideLinks } from "./navigation.tsx";
import { Example, Verb } from "./operation.tsx";
import { docsPath } from "./paths.ts";
import { Marked } from "./prose.tsx";
import type { DocsTexts } from "./texts/en.ts";
import type { DocsField, DocsGroup, DocsOperation, DocsView } from "./view.ts";

interface OverviewProps {
  readonly view: DocsView;
  readonly texts: DocsTexts;
}

/** Renders the guides, what all operations have in common, and the index of the operations, in which the script searches. */
export function Overview({ view, texts }: OverviewProps) {
  return (
    <>
      <section class="docs-section">
        <h2>{texts.guidesTitle}</h2>
        <ul class="docs-guides">
          {listGuideLinks(texts).map(({ path, title, description, words }) => (
            <li key={path} data-words={words}>
              <a href={path}>{title}</a>
              <p class="quiet">
                <Marked text={description} />
              </p>
            </li>
          ))}
        </ul>
      </section>
      <Basics view={view} texts={texts} />
      <section class="docs-section" id="reference">
        <h2>{texts.reference}</h2>
        <p class="quiet" role="status" data-no-results={texts.noResults} />
        <div class="docs-index">
          {view.groups.map((group) => (
            <IndexGroup key={group.slug} group={group} texts={texts} />
          ))}
        </div>
      </section>
    </>
  );
}

/** The anchors are those that operations and groups had when the reference was one page. The script leads from there to their pages. */
function IndexGroup({ group: { name, slug, operations }, texts }: { readonly group: DocsGroup; readonly texts: DocsTexts }) {
  return (
    <section id={`tag-${slug}`} data-indexed="">
      <h3>
        <a href={docsPath(slug)} lang="en">
          {name}
        </a>{" "}
        <span class="quiet">{texts.operationsOf(operations.length)}</span>
      </h3>
      <ul lang="en">
        {operations.map((operation) => (
          <li key={operation.id} id={operation.id} data-indexed="" data-words={wordsOf(operation)}>
            <a href={`${docsPath(slug)}#${operation.id}`}>{operation.summary}</a> <Verb method={operation.method} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns what the search finds in an operation in addition to its summary: its name, path and description, and its fields. */
function wordsOf({ id, path, description = "", inputs, output }: DocsOperation): string {
  const fields = [...inputs.flatMap(({ fields }) => fields), ...output.fields].flatMap(withNested);
  const texts = fields.flatMap(({ name, description = "", values }) => [name, description, ...values]);
  const words = [id, path, description, ...texts].join(" ");
  const byLowerCase = words.split(/[\s,.;:()`"]+/).map((word) => [word.toLowerCase(), word] as const);
  return [...new Map(byLowerCase.toReversed()).values()].toReversed().join(" ");
}

const withNested = (field: DocsField): readonly DocsField[] => [field, ...field.fields.flatMap(withNested)];

function Basics({ view: { apiUrl }, texts }: OverviewProps) {
  return (
    <section class="docs-section docs-basics" id="basics" data-not-searched="">
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
