import { Readable } from "node:stream";
import { publishInput } from "../contract/publish.ts";
import { AppError } from "../errors.ts";
import type { ReadForm } from "../operations/uploads/store-form.ts";
import { noRoom } from "./body-memory.ts";
import type { Caller } from "./callers.ts";
import { isClientGone } from "./client-gone.ts";
import type { HttpContext } from "./env.ts";
import { createFormReader, decodeFormName, onTooMany, tooManyFiles, unreadableForm, watchTypes } from "./form.ts";
import { parseInput, queryFields } from "./read-input.ts";
import { receiveBody } from "./receive-body.ts";

/** Reads the body as a form whose files are streamed; its fields, and those of the query, are publish fields. Throws VALIDATION_FAILED, NO_FILE. */
export function formStream(c: HttpContext, caller: Caller, maxFiles: number): ReadForm {
  return async (take) => {
    using hold = c.env.bodyMemory.open(caller);
    const form = createFormReader(c.req.header("content-type") ?? "", maxFiles);
    return await new Promise((resolve, reject) => {
      let fieldBytes = 0;
      const fields = queryFields(new URL(c.req.url).searchParams);
      const source = Readable.from(receiveBody(c), { objectMode: false });
      const streams: Readable[] = [];
      const taking: ReturnType<typeof take>[] = [];
      let hasFailed = false;
      const fail = (error: unknown): void => {
        hasFailed = true;
        source.destroy();
        for (const stream of streams) stream.destroy(error instanceof Error ? error : undefined);
        Promise.allSettled(taking).then(() => reject(error), reject);
      };
      form.on("field", (name, value) => {
        fieldBytes += name.length + value.length;
        if (!hold.tryHold(fieldBytes)) return fail(noRoom());
        if (value !== "") fields[name] = value;
      });
      const isTypeNamed = watchTypes(form);
      form.on("file", (_field, stream, name, _encoding, sentType) => {
        // Its reader hears of errors too; without a listener, one that comes where there is no reader would end the process.
        stream.on("error", () => undefined);
        // A browser's form in which no file was chosen; or what came in one piece with that for which the form is refused.
        if (name === "" || hasFailed) {
          stream.resume();
          return;
        }
        streams.push(stream);
        try {
          const publish = parseInput(publishInput, fields);
          const taken = take({ name: decodeFormName(name), type: isTypeNamed() ? sentType : undefined, body: stream }, publish);
          taking.push(taken);
          taken.catch(fail);
        } catch (error) {
          stream.resume();
          fail(error);
        }
      });
      form.on("filesLimit", () => fail(tooManyFiles(maxFiles)));
      onTooMany(form, fail);
      form.on("error", (error: unknown) => fail(error instanceof AppError || isClientGone(error) ? error : unreadableForm()));
      form.on("finish", () => {
        if (taking.length === 0) return fail(noFile());
        Promise.all(taking)
          .then((taken) => resolve({ taken, publish: parseInput(publishInput, fields) }))
          .catch(fail);
      });
      source.on("error", (error) => form.destroy(error));
      source.pipe(form);
    });
  };
}

const noFile = (): AppError =>
  new AppError("NO_FILE", "The form has no file. Send one as the field `file`, such as `curl -F file=@photo.jpg`.");
