import { Readable } from "node:stream";
import type { BusboyInstance } from "@fastify/busboy";
import { requireScope } from "../auth/authenticate.ts";
import type { Call, Ctx } from "../context.ts";
import type { UploadResult } from "../contract/files.ts";
import { publishInput } from "../contract/publish.ts";
import { AppError } from "../errors.ts";
import { type BodyHold, noRoom } from "./body-memory.ts";
import { toCall } from "./call.ts";
import type { HttpContext } from "./env.ts";
import { createFormReader, decodeFormName, onTooMany, secondFile, unreadableForm, watchTypes } from "./form.ts";
import { declaredBytes, streamBody, streamBodyOnce } from "./read-body.ts";
import { parseInput, queryFields } from "./read-input.ts";
import { receiveOnce } from "./receive-once.ts";

/** `curl -T photo.jpg {site_url}/`: the body is the file; publish fields are query parameters (decisions, "Uploads"). */
export async function receivePut(ctx: Ctx, c: HttpContext): Promise<UploadResult> {
  const call = await toUploadCall(ctx, c);
  const url = new URL(c.req.url);
  return await receiveOnce(ctx, c, call, {
    name: decodeName(url.pathname.slice(1)),
    type: c.req.header("content-type"),
    sizeBytes: declaredBytes(c.req.raw),
    body: streamBodyOnce(c.req.raw),
    publish: parseInput(publishInput, queryFields(url.searchParams)),
  });
}

/** `curl -F file=@photo.jpg {site_url}/`, and the form of the front page: streamed, whatever its size; fields before or after the file. */
export async function receiveForm(ctx: Ctx, c: HttpContext): Promise<UploadResult> {
  const call = await toUploadCall(ctx, c);
  const type = c.req.header("content-type") ?? "";
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send a form with a file, such as `curl -F file=@photo.jpg`, or PUT the file's bytes.");
  }
  const form = createFormReader(type);
  using hold = c.env.bodies.memory.open(call);
  return await new Promise<UploadResult>((resolve, reject) => readForm(ctx, c, { call, form, hold, resolve, reject }));
}

async function toUploadCall(ctx: Ctx, c: HttpContext): Promise<Call> {
  const call = await toCall(ctx, c, "curl");
  if (call.actor.kind === "user") requireScope(call.actor, "files_write");
  return call;
}

function decodeName(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

interface FormReading {
  readonly call: Call;
  readonly form: BusboyInstance;
  /** For its fields, which are in memory as long as the file comes. */
  readonly hold: BodyHold;
  resolve(result: UploadResult): void;
  reject(error: unknown): void;
}

function readForm(ctx: Ctx, c: HttpContext, { call, form, hold, resolve, reject }: FormReading): void {
  const fields = queryFields(new URL(c.req.url).searchParams);
  let fieldBytes = 0;
  const source = Readable.from(streamBody(c.req.raw), { objectMode: false });
  const end = Promise.withResolvers<void>();
  end.promise.catch(() => undefined);
  let upload: Promise<UploadResult> | undefined;
  let file: Readable | undefined;
  const fail = (error: unknown): void => {
    source.destroy();
    end.reject(error);
    file?.destroy(error instanceof Error ? error : undefined);
    // What has arrived is gone before the sender hears of it.
    Promise.allSettled([upload]).then(() => reject(error), reject);
  };
  form.on("field", (name, value) => {
    fieldBytes += name.length + value.length;
    if (!hold.tryHold(fieldBytes)) return fail(noRoom());
    if (value !== "") fields[name] = value;
  });
  const isTypeNamed = watchTypes(form);
  form.on("file", (_field, stream, name, _encoding, sentType) => {
    // A browser's form in which no file was chosen.
    if (name === "") {
      stream.resume();
      return;
    }
    file = stream;
    // Its reader hears of errors too; without a listener, one that comes before there is a reader would end the process.
    stream.on("error", () => undefined);
    try {
      const publish = parseInput(publishInput, fields);
      const lastPublish = () => parseInput(publishInput, fields);
      upload = receiveOnce(ctx, c, call, {
        name: decodeFormName(name),
        type: isTypeNamed() ? sentType : undefined,
        sizeBytes: undefined,
        body: untilEnd(stream, end.promise),
        publish,
        lastPublish,
      });
      upload.catch(fail);
    } catch (error) {
      stream.resume();
      fail(error);
    }
  });
  form.on("filesLimit", () => fail(secondFile()));
  onTooMany(form, fail);
  form.on("error", (error: unknown) => fail(error instanceof AppError ? error : unreadableForm()));
  form.on("finish", () => {
    end.resolve();
    if (upload) upload.then(resolve, reject);
    else reject(new AppError("NO_FILE", "The form has no file. Send one as the field `file`, such as `curl -F file=@photo.jpg`."));
  });
  source.on("error", (error) => form.destroy(error));
  source.pipe(form);
}

/** The file's bytes; ends when the whole form has been read, so that no field of it comes too late. */
async function* untilEnd(stream: AsyncIterable<Uint8Array>, end: Promise<void>): AsyncGenerator<Uint8Array> {
  yield* stream;
  await end;
}
