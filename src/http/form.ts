import type { EventEmitter } from "node:events";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import type { SentFile } from "../contract/scalars.ts";
import { AppError } from "../errors.ts";

const LIMITS = { fields: 50, fieldSize: 64 * 1024, parts: 60 };

/** A reader of one form with at most so many files; throws VALIDATION_FAILED where `type` has no boundary. */
export function createFormReader(type: string, maxFiles = 1): BusboyInstance {
  try {
    return new Busboy({ headers: { "content-type": type }, preservePath: true, limits: { ...LIMITS, files: maxFiles } });
  } catch {
    throw unreadableForm();
  }
}

/**
 * Tells, while a file of the form begins, whether its part names a type. The reader says `text/plain` where it does not, as many programs
 * send their files: nobody's word for what the file is.
 */
export function watchTypes(form: BusboyInstance): () => boolean {
  let isNamed = false;
  // The reader's own reader: it hands out no headers, and is pinned.
  const { parser } = (form as unknown as { _parser: { parser: EventEmitter } })._parser;
  parser.prependListener("part", (part: EventEmitter) => {
    part.prependListener("header", (header: Readonly<Record<string, unknown>>) => {
      isNamed = header["content-type"] !== undefined;
    });
  });
  return () => isNamed;
}

/** A file's name as it was before the form was written: browsers and others write quotes and line ends as percent codes there. */
export const decodeFormName = (name: string | undefined): string =>
  (name ?? "").replace(/%22|%0D|%0A/gi, (code) => decodeURIComponent(code));

/** Reads a form that is in memory: its fields, empty ones left out, and its file. Throws VALIDATION_FAILED. */
export function readFormBytes(bytes: Uint8Array, type: string): Promise<Record<string, string | SentFile>> {
  const form = createFormReader(type);
  const isTypeNamed = watchTypes(form);
  return new Promise((resolve, reject) => {
    const fields: Record<string, string | SentFile> = {};
    form.on("field", (name, value) => {
      if (value !== "") fields[name] = value;
    });
    form.on("file", (field, stream, name, _encoding, sentType) => {
      const chunks: Uint8Array[] = [];
      const sent = isTypeNamed() ? sentType : undefined;
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("error", () => reject(unreadableForm()));
      stream.on("end", () => {
        const isChosen = name !== "" || chunks.length > 0;
        if (isChosen) fields[field] = { name: decodeFormName(name), type: sent, bytes: Buffer.concat(chunks) };
      });
    });
    form.on("filesLimit", () => reject(tooManyFiles(1)));
    onTooMany(form, reject);
    form.on("error", () => reject(unreadableForm()));
    form.on("finish", () => resolve(fields));
    form.end(bytes);
  });
}

/** What comes past the limits is not read: a field among it must not be lost in silence. */
export function onTooMany(form: BusboyInstance, refuse: (error: AppError) => void): void {
  for (const limit of ["fieldsLimit", "partsLimit"] as const) {
    form.on(limit, () =>
      refuse(invalidForm(`The form has more than ${LIMITS.fields} fields beside its files. Leave out those that it does not need.`)),
    );
  }
}

export const tooManyFiles = (most: number): AppError =>
  invalidForm(most === 1 ? "Send one file at a time: the form has more." : `Send at most ${most} files at a time: the form has more.`);

export const unreadableForm = (): AppError =>
  invalidForm("The form could not be read: it ended too early, or its parts do not match its boundary.");

const invalidForm = (message: string): AppError =>
  new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: "", message }] } });
