import { z } from "zod";

const KiB = 1024;
const MiB = 1024 * KiB;

/** Part sizes of a multipart upload (decisions, "Uploads"). */
export const PART_SIZE = { minBytes: MiB, defaultBytes: 16 * MiB, maxBytes: 64 * MiB, maxParts: 10_000 } as const;
/** Largest file of `POST /files/upload`, and what its body may have beside the file. */
export const DIRECT_UPLOAD = { maxFileBytes: 4 * MiB, overheadBytes: 64 * KiB } as const;
/** How many files one form of `POST {site_url}/` takes: the tokens of each are in the answer's headers, for which proxies have 4 KB. */
export const MAX_FORM_FILES = 10;
/**
 * What JSON bodies are limited to, however few or many their fields: a wrong value of some thousand characters is still told from one that
 * is too large, and 10,000 parts fit, written at length (decisions, "Uploads").
 */
export const JSON_BODY = { leastBytes: 8 * KiB, maxBytes: 4 * MiB } as const;

/** A field with what it means and a value that it may have, as the OpenAPI document tells them. */
export const described = <T extends z.ZodType>(schema: T, description: string, example?: z.input<T>): T =>
  schema.meta({ description, ...(example !== undefined && { examples: [example] }) });

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
  .transform((value) => (/(?:Z|[+-]\d{2}:?\d{2})$/i.test(value) ? value : `${value}${/T\d{2}:\d{2}$/.test(value) ? ":00" : ""}Z`))
  .meta({ format: "date-time" });

/** Ids in addresses have no form that could be wrong: what is not one of ours is unknown. */
export const fileId = described(z.string().min(1), "The file's id (16 letters and digits)", "5hQ2vR8kLm3xTz0B");
export const shortId = described(z.string().min(1), "The share's short id, as in {site_url}/d/{shortId}", "7kXq9Zab");
export const EXAMPLE_SHA256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
export const sha256Hex = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, "give a SHA-256 as 64 hexadecimal digits")
  .transform((value) => value.toLowerCase());

export const scanStatus = described(
  z.enum(["pending", "scanning", "clean", "unavailable"]),
  "Safety check: only a clean file can be downloaded; unavailable is blocked",
  "clean",
);
export type ScanStatus = z.infer<typeof scanStatus>;

/** Why a file is unavailable; null where it is not. */
export const failureReason = described(
  z.enum(["infected", "scan_failed", "digest_mismatch"]).nullable(),
  "Why scanStatus is unavailable. digest_mismatch: the bytes are not those whose SHA-256 the sender announced",
  "infected",
);
export type FailureReason = z.infer<typeof failureReason>;

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

/** The proof of work that an unlock code needs after too many wrong ones (docs/interface/unlocking.md). */
export const workFields = {
  challengeId: described(
    text(120).nullish(),
    "With an unlock code: the `challenge_id` of the challenge that a 429 carried",
    "7kXq9Zab.t5k2c0.Zm9v",
  ),
  nonce: described(
    text(64).nullish(),
    "With an unlock code: SHA-256 of `challengeId:nonce` has the leading zero bits that were asked for",
    "123456",
  ),
} as const;
export const TOO_MANY_CODES = "Too many wrong codes; with `challenge`, send the code again with a proof of work";

/** What is answered of a share's protection, where it was made just now. */
export const madeProtection = {
  unlockCode: described(z.string().optional(), "Unlock code of 6 characters of a share that was protected just now; shown once", "K7MP3X"),
  handoffUrl: described(
    z.url().optional(),
    "Private delivery link of a share that was protected just now; shown once",
    "https://files.example.org/h/ho_5Yc1mQ",
  ),
};
