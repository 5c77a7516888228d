import type { BufferedFile } from "../../contract/scalars.ts";
import { AppError, invalidField } from "../../errors.ts";
import { parseParameters } from "../../lib/http/parameters.ts";
import { decodeName } from "../../lib/text/decode-name.ts";
import { parsePartHead } from "./form-part.ts";
import { MultipartError, readMultipart } from "./multipart.ts";
import { bodyTooLarge } from "./read-body.ts";
import { setField } from "./sent-fields.ts";

/** The limits of one form. */
export interface FormLimits {
  readonly files: number;
  /** Maximum number of fields beside the files. */
  readonly fields: number;
  /** Maximum number of bytes of a field. */
  readonly fieldSize: number;
}

const LIMITS: FormLimits = { files: 1, fields: 50, fieldSize: 64 * 1024 };

/** A field of a form that is not a file. */
export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** A file of a form. Its `body` must be read before the next entry is requested; the rest is skipped. */
export interface FormFile {
  readonly field: string;
  /** The name; empty if no file was chosen in a browser. */
  readonly name: string;
  /** The declared media type; `text/plain` counts as undeclared, because many programs declare it for everything (uploads, "Name and type"). */
  readonly type: string | undefined;
  /** The bytes. Throws VALIDATION_FAILED if the form ends in them. A chunk is valid until the next one is requested. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Reads a form: yields its fields, except empty ones, and its files in order, and ends after the closing delimiter. Throws VALIDATION_FAILED,
 * BODY_TOO_LARGE, and the errors of `chunks`. `limits` defaults to one file.
 */
export async function* readForm(
  chunks: AsyncIterable<Uint8Array>,
  type: string,
  limits: Partial<FormLimits> = {},
): AsyncGenerator<FormField | FormFile, undefined> {
  const { files: maxFiles, fields: maxFields, fieldSize } = { ...LIMITS, ...limits };
  let fields = 0;
  let files = 0;
  try {
    for await (const { head, content } of readMultipart(chunks, findBoundary(type))) {
      const part = parsePartHead(head);
      if (!part) throw unreadablePart();
      if (part.fileName === undefined && part.type !== "application/octet-stream") {
        if (++fields > maxFields) throw tooManyFields(maxFields);
        const value = await readValue(content, part.charset, fieldSize);
        // An empty password is refused and not ignored, because its share would be open to everybody.
        if (value !== "" || part.field === "password") yield { name: part.field, value };
      } else {
        if (++files > maxFiles) throw tooManyFiles(maxFiles);
        yield {
          field: part.field,
          name: decodeFormName(part.fileName),
          type: part.type === "text/plain" ? undefined : part.type,
          body: toBody(content),
        };
      }
    }
  } catch (error) {
    throw error instanceof MultipartError ? unreadableForm() : error;
  }
}

async function* toBody(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw error instanceof MultipartError ? unreadableForm() : error;
  }
}

export const isFormFile = (entry: FormField | FormFile): entry is FormFile => "body" in entry;

/** Returns the boundary in the `Content-Type`: 1 to 70 characters of ASCII (RFC 2046, 5.1.1). Throws VALIDATION_FAILED. */
function findBoundary(type: string): string {
  const boundary = parseParameters(type)?.parameters.get("boundary") ?? "";
  if (!/^[!-~](?:[ -~]{0,68}[!-~])?$/.test(boundary)) throw unreadableForm();
  return boundary;
}

async function readValue(content: AsyncIterable<Uint8Array>, charset: string | undefined, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of content) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw bodyTooLarge(maxBytes);
    chunks.push(new Uint8Array(chunk));
  }
  return decodeValue(Buffer.concat(chunks), charset);
}

/** Decodes a value in the character set that its part declares, otherwise as names are decoded. */
function decodeValue(bytes: Buffer, charset: string | undefined): string {
  if (charset === undefined) return decodeName(bytes);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return decodeName(bytes);
  }
}

export const isForm = (type: string): boolean => /^multipart\/form-data\b/i.test(type);

export const notForm = (): AppError =>
  new AppError("UNSUPPORTED_MEDIA_TYPE", "Send a form (Content-Type: multipart/form-data) with the file in the field `file`.");

/** Decodes a file's name, in which clients write quotes and line ends as percent codes. */
const decodeFormName = (name: string | undefined): string => (name ?? "").replace(/%22|%0D|%0A/gi, (code) => decodeURIComponent(code));

/** Reads a form that is in memory: its fields, except empty ones, and its file. Throws as `readForm` does. */
export async function readFormBytes(bytes: Uint8Array, type: string): Promise<Record<string, string | BufferedFile>> {
  const fields: Record<string, string | BufferedFile> = {};
  for await (const entry of readForm(toChunks(bytes), type)) {
    if (!isFormFile(entry)) setField<string | BufferedFile>(fields, entry.name, entry.value);
    else {
      const chunks = await Array.fromAsync(entry.body);
      if (entry.name !== "" || chunks.length > 0)
        fields[entry.field] = { name: entry.name, type: entry.type, bytes: Buffer.concat(chunks) };
    }
  }
  return fields;
}

async function* toChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const tooManyFields = (maxFields: number): AppError =>
  invalidField("", `The form has more than ${maxFields} fields beside its files. Omit those that are not needed.`);

const tooManyFiles = (maxFiles: number): AppError =>
  invalidField(
    "",
    maxFiles === 1 ? "The form has several files. Send one at a time." : `The form has too many files. Send at most ${maxFiles} at a time.`,
  );

const unreadableForm = (): AppError =>
  invalidField("", "The form is not valid: it ended too early, or its parts do not match its boundary. Send it again.");

const unreadablePart = (): AppError =>
  invalidField(
    "",
    "A part of the form is not valid. Send `Content-Disposition: form-data` with a name for each part, and its bytes as they are.",
  );

export const noFile = (): AppError =>
  new AppError("NO_FILE", "The form has no file. Send one as the field `file`, such as `curl -F file=@photo.jpg`.");
