import { checkUnknown, parseInput } from "../../service/parse-input.ts";
import { publishFields, type SentPublish, sentPublish } from "../../service/shares/contract.ts";
import type { ReadForm } from "../../service/uploads/upload-form.ts";
import type { Caller } from "../callers/rate-limit-keys.ts";
import type { HttpContext } from "../routing/env.ts";
import { bodyMemoryFull } from "./body-memory.ts";
import { isFormFile, noFile, readForm } from "./form.ts";
import { queryFields } from "./read-input.ts";
import { streamRequestBody } from "./receive-body.ts";
import { wantsPage } from "./request-headers.ts";
import { setField } from "./sent-fields.ts";

export interface FormFields {
  /** The fields beside the form's fields; default: the query's fields. */
  readonly outer?: Readonly<Record<string, string>>;
  /** Fields that the form may contain but that are ignored. */
  readonly ignored?: ReadonlySet<string>;
}

const KNOWN_FIELDS = Object.keys(publishFields);

/** Parses publish fields as they are sent in a query or form. Throws VALIDATION_FAILED. */
export function parsePublish(fields: Readonly<Record<string, unknown>>): SentPublish {
  const publish = parseInput(sentPublish, fields);
  checkUnknown(KNOWN_FIELDS, fields);
  return publish;
}

/**
 * Creates the function that reads the body as a form of at most `maxFiles` files and streams them. The form's fields and the outer ones are publish
 * fields. The function throws VALIDATION_FAILED and NO_FILE.
 */
export function formStream(
  c: HttpContext,
  caller: Caller,
  maxFiles: number,
  { outer = queryFields(c.env.url.searchParams), ignored = new Set() }: FormFields = {},
): ReadForm {
  return async (receive) => {
    using reservation = c.env.bodyMemory.open(caller);
    let fieldBytes = 0;
    const fields = { ...outer };
    const results: Awaited<ReturnType<typeof receive>>[] = [];
    for await (const entry of readForm(streamRequestBody(c), c.req.header("content-type") ?? "", { files: maxFiles })) {
      if (isFormFile(entry)) {
        if (entry.name !== "") results.push(await receive(entry, parsePublish(fields)));
      } else {
        fieldBytes += entry.name.length + entry.value.length;
        if (!reservation.tryReserve(fieldBytes)) throw bodyMemoryFull();
        // A page's form sends its empty fields too.
        const isEmptyField = entry.name === "password" && entry.value === "" && wantsPage(c);
        if (!ignored.has(entry.name) && !isEmptyField) setField(fields, entry.name, entry.value);
      }
    }
    if (results.length === 0) throw noFile();
    return { results, publish: parsePublish(fields) };
  };
}
