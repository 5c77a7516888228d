import { z } from "zod";

const KiB = 1024;
const MiB = 1024 * KiB;

/** Part sizes of a multipart upload (decisions, "Uploads"). */
export const PART_SIZE = { minBytes: MiB, defaultBytes: 16 * MiB, maxBytes: 64 * MiB, maxParts: 10_000 } as const;
/** Largest file of `POST /files/upload`, and what its body may have beside the file. */
export const DIRECT_UPLOAD = { maxFileBytes: 4 * MiB, overheadBytes: 64 * KiB } as const;
/**
 * What JSON bodies are limited to, however few or many their fields: a wrong value of some thousand characters is still told from one that
 * is too large, and 10,000 parts fit, written at length (decisions, "Uploads").
 */
export const JSON_BODY = { leastBytes: 8 * KiB, maxBytes: 4 * MiB } as const;

/** Text of so many characters at most, each a code point, as people and JSON Schema count them: an emoji is one. */
export const text = (maxCharacters: number): z.ZodString =>
  z
    .string()
    .refine((value) => value.length <= maxCharacters || [...value].length <= maxCharacters, `give at most ${maxCharacters} characters`)
    .meta({ maxLength: maxCharacters });

/** The same for what is kept and shown as it was sent, but for NUL characters: a database's text ends at the first of them. */
export const keptText = (maxCharacters: number) => text(maxCharacters).transform((value) => value.replaceAll("\0", ""));

/** A file's name as it is sent: 64 Ki characters, each of twelve bytes at most in JSON. What is kept of it is shorter. */
export const sentFileName = text(64 * KiB);

/** `true`, `false`, `1`, `0`, as forms and queries write them (Python: `True`), or a JSON boolean. */
export const flag = z
  .union([z.boolean(), z.enum(["true", "false", "1", "0", "True", "False", "TRUE", "FALSE"])], "give true or false")
  .transform((value) => value === "1" || String(value).toLowerCase() === "true")
  .meta({ description: "true, false, 1 or 0" });

/** A whole number of at least 1 and at most 15 digits, as JSON or as digits of a form or query. */
export const count = z.union(
  [
    z.int().min(1).max(999_999_999_999_999),
    z
      .string()
      .regex(/^[1-9]\d{0,14}$/)
      .transform(Number),
  ],
  "give a whole number of at least 1",
);

const dateTimeError = "give an ISO 8601 date and time, such as 2030-01-31T12:00:00Z";

export const dateTime = z.iso.datetime({ offset: true, error: dateTimeError });

/** The same as callers send it: without an offset it is in UTC, as all times here are. What comes of it is a `dateTime`, which stays as it is. */
export const sentDateTime = z.iso
  .datetime({ offset: true, local: true, error: dateTimeError })
  .transform((value) => (/(?:Z|[+-]\d{2}:?\d{2})$/i.test(value) ? value : `${value}${/T\d{2}:\d{2}$/.test(value) ? ":00" : ""}Z`));

/** Ids in addresses have no form that could be wrong: what is not one of ours is unknown. */
export const fileId = z.string().min(1).meta({ description: "The file's id (16 letters and digits)" });
export const shortId = z.string().min(1).meta({ description: "The share's short id, as in {site_url}/d/{shortId}" });
export const sha256Hex = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, "give a SHA-256 as 64 hexadecimal digits")
  .transform((value) => value.toLowerCase());

export const scanStatus = z.enum(["pending", "scanning", "clean", "unavailable"]);
export type ScanStatus = z.infer<typeof scanStatus>;

/** The sent file of a multipart form, read whole (4 MB at most). */
export interface SentFile {
  readonly name: string;
  /** As the sender names it; undefined where it does not. */
  readonly type: string | undefined;
  readonly bytes: Uint8Array;
}

export const sentFile = z
  .custom<SentFile>((value) => typeof value === "object" && value !== null && "bytes" in value, "send the file as the form field `file`")
  .meta({ description: "The file's bytes, 4 MB at most", format: "binary" });
