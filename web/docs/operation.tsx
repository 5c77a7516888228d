/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { FieldList } from "./fields.tsx";
import { docsPath, ERRORS_SLUG } from "./paths.ts";
import { Prose } from "./prose.tsx";
import type { DocsTexts } from "./texts/en.ts";
import type { DocsAccess, DocsInput, DocsOperation, DocsOutput, DocsStatus } from "./view.ts";

interface OperationProps {
  readonly operation: DocsOperation;
  readonly texts: DocsTexts;
  readonly isOpen: boolean;
}

/** Renders an operation as a row, which opens its description and fields, beside its example. */
export function OperationArticle({ operation, texts, isOpen }: OperationProps) {
  const { id, method, path, summary, description, access, inputs, output, errors, curl } = operation;
  return (
    <details class="operation" id={id} open={isOpen}>
      <summary>
        <h2 lang="en">{summary}</h2>
        <span class="endpoint">
          <Verb method={method} /> <code>{path}</code>
        </span>
      </summary>
      <div class="operation-body">
        <div class="operation-text">
          {description === undefined ? null : (
            <p>
              <Prose text={description} />
            </p>
          )}
          <p class="quiet">
            <Access access={access} texts={texts} /> ·{" "}
            <a href={`#${id}`} aria-label={`${texts.linkTo} ${id}`}>
              #{id}
            </a>
          </p>
          {inputs.map((input) => (
            <Input key={input.kind} input={input} texts={texts} />
          ))}
          <Output output={output} texts={texts} />
          {errors.length === 0 ? null : <Errors errors={errors} texts={texts} />}
        </div>
        <div class={isShort([curl, output.example]) ? "operation-examples sticky" : "operation-examples"}>
          <Example id={`curl-${id}`} title={texts.example} text={curl} texts={texts} />
          {output.example === undefined ? null : (
            <Example id={`response-${id}`} title={`${texts.response} ${output.status}`} text={output.example} texts={texts} />
          )}
        </div>
      </div>
    </details>
  );
}

/** Renders the errors of an operation in addition to those of every operation. */
function Errors({ errors, texts }: { readonly errors: readonly DocsStatus[]; readonly texts: DocsTexts }) {
  return (
    <section>
      <h3>{texts.errors}</h3>
      <ul class="fields">
        {errors.map(({ status, description }) => (
          <li key={status} class="status">
            <a href={`${docsPath(ERRORS_SLUG)}#status-${status}`}>{status}</a> <Prose text={description} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The largest number of lines of an example that stays in view while the fields beside it are scrolled. */
const MAX_STICKY_LINES = 24;

const isShort = (examples: readonly (string | undefined)[]): boolean => examples.join("\n").split("\n").length <= MAX_STICKY_LINES;

export const Verb = ({ method }: { readonly method: string }) => <span class={`verb ${method.toLowerCase()}`}>{method}</span>;

function Access({ access: { key, scope }, texts }: { readonly access: DocsAccess; readonly texts: DocsTexts }) {
  return (
    <>
      {texts.key[key]}
      {scope === undefined ? null : (
        <>
          , {texts.scope} <code>{scope}</code>
        </>
      )}
    </>
  );
}

function Input({ input: { kind, fields, needsOneOf }, texts }: { readonly input: DocsInput; readonly texts: DocsTexts }) {
  return (
    <section>
      <h3>{texts.inputs[kind]}</h3>
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
      <h3>
        {texts.response} {status}
      </h3>
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
