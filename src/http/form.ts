import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { BufferedFile } from "../contract/scalars.ts";
import { AppError, invalidField } from "../errors.ts";

/** What one form may contain. */
export interface FormLimits {
  readonly files: number;
  /** Fields beside the files. */
  readonly fields: number;
  /** Bytes of a field. */
  readonly fieldSize: number;
}

const LIMITS: FormLimits = { files: 1, fields: 50, fieldSize: 64 * 1024 };
/** Parts beyond the limits, so that each limit is reached before that of all parts. */
const SPARE_PARTS = 9;

/** Creates a reader of one form; `limits` defaults to one file. Throws VALIDATION_FAILED if `type`, the `Content-Type`, has no boundary. */
export function createFormReader(type: string, limits: Partial<FormLimits> = {}): BusboyInstance {
  const { files, fields, fieldSize } = { ...LIMITS, ...limits };
  try {
    return new Busboy({
      headers: { "content-type": type },
      preservePath: true,
      limits: { files, fields, fieldSize, parts: files + fields + SPARE_PARTS },
    });
  } catch {
    throw unreadableForm();
  }
}

export const isForm = (type: string): boolean => /^multipart\/form-data\b/i.test(type);

export const notForm = (): AppError =>
  new AppError("UNSUPPORTED_MEDIA_TYPE", "Send a form (Content-Type: multipart/form-data) with the file in the field `file`.");

/**
 * The media type that a form declares for a file. The reader reports `text/plain` if the form declares none, as many programs do, so that
 * type counts as undeclared (uploads, "Name and type").
 */
export const declaredType = (partType: string): string | undefined => (partType === "text/plain" ? undefined : partType);

/** Decodes a file's name: clients write quotes and line ends as percent codes in a form. */
export const decodeFormName = (name: string | undefined): string =>
  (name ?? "").replace(/%22|%0D|%0A/gi, (code) => decodeURIComponent(code));

/** Reads a form that is in memory: its fields, except empty ones, and its file. Throws VALIDATION_FAILED. */
export function readFormBytes(bytes: Uint8Array, type: string): Promise<Record<string, string | BufferedFile>> {
  const form = createFormReader(type);
  return new Promise((resolve, reject) => {
    const fields: Record<string, string | BufferedFile> = {};
    form.on("field", (name, value) => {
      if (value !== "") fields[name] = value;
    });
    form.on("file", (field, stream, name, _encoding, partType) => {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("error", () => reject(unreadableForm()));
      stream.on("end", () => {
        const isChosen = name !== "" || chunks.length > 0;
        if (isChosen) fields[field] = { name: decodeFormName(name), type: declaredType(partType), bytes: Buffer.concat(chunks) };
      });
    });
    form.on("filesLimit", () => reject(tooManyFiles(1)));
    onFormLimit(form, reject);
    form.on("error", () => reject(unreadableForm()));
    form.on("finish", () => resolve(fields));
    form.end(bytes);
  });
}

/** Calls `refuse` when the form exceeds its limits: the reader skips the rest, and a field must not be ignored silently. */
export function onFormLimit(form: BusboyInstance, refuse: (error: AppError) => void, maxFields = LIMITS.fields): void {
  for (const limit of ["fieldsLimit", "partsLimit"] as const) {
    form.on(limit, () =>
      refuse(invalidField("", `The form has more than ${maxFields} fields beside its files. Omit those that are not needed.`)),
    );
  }
}

export const tooManyFiles = (maxFiles: number): AppError =>
  invalidField(
    "",
    maxFiles === 1 ? "The form has several files. Send one at a time." : `The form has too many files. Send at most ${maxFiles} at a time.`,
  );

export const unreadableForm = (): AppError =>
  invalidField("", "The form is not valid: it ended too early, or its parts do not match its boundary. Send it again.");

export const noFile = (): AppError =>
  new AppError("NO_FILE", "The form has no file. Send one as the field `file`, such as `curl -F file=@photo.jpg`.");
