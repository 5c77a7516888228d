/** @jsxImportSource preact */

import { Prose } from "./prose.tsx";
import type { DocsTexts } from "./texts/en.ts";
import type { DocsField } from "./view.ts";

interface FieldsProps {
  readonly fields: readonly DocsField[];
  readonly texts: DocsTexts;
  /** Whether to mark required fields. A response has all of them. */
  readonly marksRequired?: boolean;
}

/** Renders a list of fields, each with its type, limits and nested fields. */
export function FieldList({ fields, texts, marksRequired = false }: FieldsProps) {
  return (
    <ul class="fields">
      {fields.map((field) => (
        <li key={field.name}>
          <p class="field-name">
            <code>{field.name}</code>{" "}
            <span class="type" lang="en">
              {field.type}
            </span>
            {marksRequired && field.isRequired ? <span class="required"> {texts.required}</span> : null}
          </p>
          {field.description === undefined ? null : (
            <p>
              <Prose text={field.description} />
            </p>
          )}
          {field.limits.length === 0 ? null : (
            <p class="quiet" lang="en">
              {field.limits.join(", ")}
            </p>
          )}
          {field.values.length === 0 ? null : (
            <p class="quiet values">
              {field.values.length === 1 ? null : `${texts.oneOf} `}
              {field.values.map((value) => (
                <>
                  <code key={value}>{value}</code>{" "}
                </>
              ))}
            </p>
          )}
          {field.fields.length === 0 ? null : <FieldList fields={field.fields} texts={texts} marksRequired={marksRequired} />}
        </li>
      ))}
    </ul>
  );
}
