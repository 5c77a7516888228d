import { Readable } from "node:stream";
import { AppError } from "../errors.ts";
import { checkUnknown, parseInput } from "../service/parse-input.ts";
import { type PublishInput, publishFields, publishInput } from "../service/shares/contract.ts";
import type { ReadForm } from "../service/uploads/store-form.ts";
import { bodyMemoryFull } from "./body-memory.ts";
import type { HttpContext } from "./env.ts";
import { createFormReader, declaredType, decodeFormName, noFile, onFormLimit, tooManyFiles, unreadableForm } from "./form.ts";
import type { Caller } from "./rate-limit-keys.ts";
import { queryFields } from "./read-input.ts";
import { isClientGone, receiveBody } from "./receive-body.ts";

export interface FormFields {
  /** Fields beside those of the form; default: those of the query. */
  readonly outer?: Readonly<Record<string, string>>;
  /** Fields of the form that it does not have here. */
  readonly ignored?: ReadonlySet<string>;
}

const KNOWN_FIELDS = Object.keys(publishFields);

/** Parses publish fields as they are sent in a query or form. Throws VALIDATION_FAILED. */
export function parsePublish(fields: Readonly<Record<string, unknown>>): PublishInput {
  const publish = parseInput(publishInput, fields);
  checkUnknown(KNOWN_FIELDS, fields);
  return publish;
}

/**
 * Creates the function that reads the body as a form of at most `maxFiles` files and streams them; the form's fields and the outer ones are
 * publish fields. It throws VALIDATION_FAILED and NO_FILE.
 */
export function formStream(
  c: HttpContext,
  caller: Caller,
  maxFiles: number,
  { outer = queryFields(new URL(c.req.url).searchParams), ignored = new Set() }: FormFields = {},
): ReadForm {
  return async (receive) => {
    using reservation = c.env.bodyMemory.open(caller);
    const form = createFormReader(c.req.header("content-type") ?? "", { files: maxFiles });
    return await new Promise((resolve, reject) => {
      let fieldBytes = 0;
      const fields = { ...outer };
      const source = Readable.from(receiveBody(c), { objectMode: false });
      const streams: Readable[] = [];
      const receiving: ReturnType<typeof receive>[] = [];
      let hasFailed = false;
      const fail = (error: unknown): void => {
        hasFailed = true;
        source.destroy();
        for (const stream of streams) stream.destroy(error instanceof Error ? error : undefined);
        Promise.allSettled(receiving).then(() => reject(error), reject);
      };
      form.on("field", (name, value) => {
        fieldBytes += name.length + value.length;
        if (!reservation.tryReserve(fieldBytes)) return fail(bodyMemoryFull());
        if (value !== "" && !ignored.has(name)) fields[name] = value;
      });
      form.on("file", (_field, stream, name, _encoding, partType) => {
        // The receiver handles errors; without a listener, an error of a stream without a receiver would end the process.
        stream.on("error", () => undefined);
        // The name is empty if no file was chosen in a browser; a refused form may have more files in the same chunk.
        if (name === "" || hasFailed) {
          stream.resume();
          return;
        }
        streams.push(stream);
        try {
          const publish = parsePublish(fields);
          const result = receive({ name: decodeFormName(name), type: declaredType(partType), body: stream }, publish);
          receiving.push(result);
          result.catch(fail);
        } catch (error) {
          stream.resume();
          fail(error);
        }
      });
      form.on("filesLimit", () => fail(tooManyFiles(maxFiles)));
      onFormLimit(form, fail);
      form.on("error", (error: unknown) => fail(error instanceof AppError || isClientGone(error) ? error : unreadableForm()));
      form.on("finish", () => {
        if (receiving.length === 0) return fail(noFile());
        Promise.all(receiving)
          .then((results) => resolve({ results, publish: parsePublish(fields) }))
          .catch(fail);
      });
      source.on("error", (error) => form.destroy(error));
      source.pipe(form);
    });
  };
}
