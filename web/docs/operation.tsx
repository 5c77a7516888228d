/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { FieldList } from "./fields.tsx";
import { Prose } from "./prose.tsx";
import type { DocsTexts } from "./texts/en.ts";
import type { DocsAccess, DocsInput, DocsOperation, DocsOutput } from "./view.ts";

interface OperationProps {
  readonly operation: DocsOperation;
  readonly texts: DocsTexts;
}

/** Renders an operation: its description and fields, beside its example. */
export function OperationArticle({ operation, texts }: OperationProps) {
  const { id, method, path, summary, description, access, inputs, output, errors, curl } = operation;
  return (
    <article class="operation" id={id} data-operation="">
      <div class="operation-text">
        <h3>
          <span lang="en">{summary}</span>{" "}
          <a class="anchor" href={`#${id}`} aria-label={`${texts.linkTo} ${id}`}>
            #
          </a>
        </h3>
        <p class="endpoint">
          <Verb method={method} /> <code>{path}</code> <Access access={access} texts={texts} />
        </p>
        {description === undefined ? null : (
          <p>
            <Prose text={description} />
          </p>
        )}
        {inputs.map((input) => (
          <Input key={input.kind} input={input} texts={texts} />
        ))}
        <Output output={output} texts={texts} />
        {errors.length === 0 ? null : (
          <section>
            <h4>{texts.errors}</h4>
            <ul class="fields">
              {errors.map(({ status, description }) => (
                <li key={status} class="status">
                  <a href={`#status-${status}`}>{status}</a> <Prose text={description} />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <div class={isShort([curl, output.example]) ? "operation-examples sticky" : "operation-examples"}>
        <Example id={`curl-${id}`} title={texts.example} text={curl} texts={texts} />
        {output.example === undefined ? null : (
          <Example id={`response-${id}`} title={`${texts.response} ${output.status}`} text={output.example} texts={texts} />
        )}
      </div>
    </article>
  );
}

/** The largest number of lines of an example that stays in view while the fields beside it are scrolled. */
const MAX_STICKY_LINES = 24;

const isShort = (examples: readonly (string | undefined)[]): boolean => examples.join("\n").split("\n").length <= MAX_STICKY_LINES;

export const Verb = ({ method }: { readonly method: string }) => <span class={`verb ${method.toLowerCase()}`}>{method}</span>;

function Access({ access: { key, scope }, texts }: { readonly access: DocsAccess; readonly texts: DocsTexts }) {
  return (
    <span class="quiet">
      {texts.key[key]}
      {scope === undefined ? null : (
        <>
          , {texts.scope} <code>{scope}</code>
        </>
      )}
    </span>
  );
}

function Input({ input: { kind, fields, needsOneOf }, texts }: { readonly input: DocsInput; readonly texts: DocsTexts }) {
  return (
    <section>
      <h4>{texts.inputs[kind]}</h4>
      {needsOneOf === undefined ? null : (
        <p class="quiet">
          {texts.needsOneOf} {separate(needsOneOf.map((name) => <code key={name}>{name}</code>))}.
        </p>
      )}
      <FieldList fields={fields} texts={texts} marksRequired />
    </section>
  );
}

const separate = (items: readonly ComponentChildren[]): ComponentChildren[] =>
  items.flatMap((item, index) => (index === 0 ? [item] : [", ", item]));

/** Renders the response. Its fields are folded, because the example shows most of them. */
function Output({ output, texts }: { readonly output: DocsOutput; readonly texts: DocsTexts }) {
  const { status, description, envelope, fields, others } = output;
  return (
    <section>
      <h4>
        {texts.response} {status}
      </h4>
      {description === undefined ? null : (
        <p class="quiet">
          <Prose text={description} />
        </p>
      )}
      {fields.length === 0 ? null : (
        <details>
          <summary>
            {texts.envelopes[envelope]}: {texts.fieldsOf(fields.length)}
          </summary>
          <FieldList fields={fields} texts={texts} />
        </details>
      )}
      {others.length === 0 ? null : (
        <ul class="fields">
          {others.map(({ status, description }) => (
            <li key={status} class="status">
              <span>{status}</span> <Prose text={description} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface ExampleProps {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly texts: DocsTexts;
}

/** Renders a text in a panel, with a button that copies it. */
export function Example({ id, title, text, texts }: ExampleProps) {
  return (
    <figure class="example">
      <figcaption>
        {title}
        <button class="button small" type="button" data-copy={id} hidden>
          {texts.copy}
        </button>
      </figcaption>
      <pre>
        <code id={id}>{text}</code>
      </pre>
    </figure>
  );
}
