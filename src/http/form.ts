import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { BufferedFile } from "../contract/scalars.ts";
import { type AppError, invalidField } from "../errors.ts";

/** What one form may contain; `fieldSize` is in bytes. */
const LIMITS = { fields: 50, fieldSize: 64 * 1024, parts: 60 };

/** Creates a reader of one form with at most `maxFiles` files. Throws VALIDATION_FAILED if `type`, the `Content-Type`, has no boundary. */
export function createFormReader(type: string, maxFiles = 1): BusboyInstance {
  try {
    return new Busboy({ headers: { "content-type": type }, preservePath: true, limits: { ...LIMITS, files: maxFiles } });
  } catch {
    throw unreadableForm();
  }
}

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

/** Calls `refuse` when the form exceeds `LIMITS`: the reader skips the rest, and a field must not be ignored silently. */
export function onFormLimit(form: BusboyInstance, refuse: (error: AppError) => void): void {
  for (const limit of ["fieldsLimit", "partsLimit"] as const) {
    form.on(limit, () =>
      refuse(invalidField("", `The form has more than ${LIMITS.fields} fields beside its files. Omit those that are not needed.`)),
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
