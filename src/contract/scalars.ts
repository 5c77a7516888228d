import { z } from "zod";
import { ALIAS_FORM, ALIAS_LENGTH } from "./alias-form.ts";
import { secret } from "./secret.ts";
import { passwordLength, SHARE_PASSWORD } from "./unlock-code.ts";
import { webUrl } from "./web-url.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/** Part sizes of a multipart upload (uploads, "Uploads in parts"). */
export const PART_SIZE = { minBytes: MiB, defaultBytes: 16 * MiB, maxBytes: 64 * MiB, maxParts: 10_000 } as const;
/** The largest file of `POST /files/upload`, and the space in its body beside the file. */
export const DIRECT_UPLOAD = { maxFileBytes: 4 * MiB, overheadBytes: 64 * KiB } as const;
/** The limits of one form of `POST /files/batch`: its files, and the space in the body beside them. */
export const BATCH_UPLOAD = {
  maxFiles: 500,
  maxFileBytes: DIRECT_UPLOAD.maxFileBytes,
  maxBytes: 64 * MiB,
  overheadBytes: 2 * MiB,
} as const;
/** Maximum number of files of a shipment (sharing, "Shipments"). */
export const MAX_SHIPMENT_FILES = 10_000;
/** Maximum number of files in one form of `POST {site_url}/`. The response has their tokens in headers, which proxies limit to 4 KB. */
export const MAX_FORM_FILES = 10;
/** Maximum number of files in the front page's form, which get one share. */
export const MAX_PAGE_FORM_FILES = 50;
/**
 * The bounds of the limit of a JSON body: small enough to limit memory, large enough that a wrong value of a few thousand characters is reported as
 * invalid, and that 10,000 parts fit (request limits, "Size of a body").
 */
export const JSON_BODY = { minBytes: 8 * KiB, maxBytes: 4 * MiB } as const;

/** Adds a description and an example value to a field, for the OpenAPI document. */
export const described = <T extends z.ZodType>(schema: T, description: string, example?: z.input<T>): T =>
  schema.meta({ description, ...(example !== undefined && { examples: [example] }) });

/**
 * Makes the schema of a text of at most `maxCharacters` code points, as JSON Schema counts them: an emoji is one. `advice` says what to do about a
 * longer text.
 */
export const text = (maxCharacters: number, advice = `give at most ${maxCharacters} characters`): z.ZodString =>
  z
    .string()
    .refine((value) => value.length <= maxCharacters || [...value].length <= maxCharacters, advice)
    .meta({ maxLength: maxCharacters });

/** Makes the schema of a text that is stored as sent, without NUL characters, because text in the database ends at the first one. */
export const storedText = (maxCharacters: number) => text(maxCharacters).transform((value) => value.replaceAll("\0", ""));

/**
 * Makes the schema of a text of one or more lines for recipients, without control characters and characters that change the direction of text (as in
 * file names).
 */
export const messageText = (maxCharacters: number) =>
  text(maxCharacters).transform((value) =>
    value.toWellFormed().replace(/(?![\t\n\r])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, ""),
  );

/** A file's name as the caller sends it, at most 64 Ki characters; the stored name is shorter. */
export const fileNameInput = text(64 * KiB);

/** A JSON boolean, or `true`, `false`, `1` or `0` as forms and queries write them (Python: `True`). */
export const flag = z
  .union([z.boolean(), z.string().regex(/^(?:[01]|true|false|True|False|TRUE|FALSE)$/, "give true or false")], "give true or false")
  .transform((value) => value === "1" || String(value).toLowerCase() === "true")
  .meta({ description: "true, false, 1 or 0" });

/** A whole number of at least 1 and at most 15 digits, as a JSON number or as text of a form or query. */
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

/** Whether an account's address is verified, wherever administrators see the address. */
export const emailVerified = described(
  z.boolean(),
  "Whether the address is known to be the account's owner's; false: anybody may have signed up with it",
  true,
);

/** A date and time as callers send it, in UTC if it has no offset. Parses to a `dateTime`; parsing that again changes nothing. */
export const dateTimeInput = z.iso
  .datetime({ offset: true, local: true, error: dateTimeError })
  .transform((value) => (/(?:Z|[+-]\d{2}:?\d{2})$/i.test(value) ? value : `${value}${/T\d{2}:\d{2}$/.test(value) ? ":00" : ""}Z`))
  .meta({ format: "date-time" });

/** The ID of a file. Its form in URLs is not checked: a malformed ID is unknown, hence 404. */
export const fileId = described(z.string().min(1), "The file's ID (16 letters and digits)", "5hQ2vR8kLm3xTz0B");
export const shortId = described(z.string().min(1), "The share's short ID, as in the link /d/{shortId}", "7kXq9Zab");

const ALIAS_ADVICE = "give 4 to 16 letters a to z and digits, with at least one hyphen between them, such as trip-to-rome";

/** The alias of a share as its owner sends it, which is stored in lower case (sharing, "Aliases"). */
export const shareAlias = z
  .string()
  .min(ALIAS_LENGTH.min, ALIAS_ADVICE)
  .max(ALIAS_LENGTH.max, ALIAS_ADVICE)
  .regex(ALIAS_FORM, ALIAS_ADVICE)
  .transform((alias) => alias.toLowerCase());

export const EXAMPLE_SHA256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
export const sha256Hex = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, "give a SHA-256 as 64 hexadecimal digits")
  .transform((value) => value.toLowerCase());

export const scanStatus = described(
  z.enum(["pending", "scanning", "clean", "unavailable"]),
  "State of the check: clean: passed, and its digest is known; unavailable: blocked",
  "clean",
);
export type ScanStatus = z.infer<typeof scanStatus>;

/** Whether the bytes of a file are in the age format. False if a stored response is older than the field. */
export const encrypted = described(
  z.boolean().default(false),
  "Whether the sender encrypted it, as its first bytes show: the server could not check what it contains",
  false,
);

/** The reason why a file is unavailable; null for any other state. */
export const failureReason = described(
  z.enum(["infected", "scan_failed", "digest_mismatch"]).nullable(),
  "Why scanStatus is unavailable. digest_mismatch: the file does not match the expected SHA-256",
  "infected",
);
export type FailureReason = z.infer<typeof failureReason>;

/** The reasons of reports, in the order of the form. */
export const REPORT_REASONS = ["malware", "phishing", "illegal", "copyright", "personal_data", "other"] as const;

/** The reason of a report. */
export const reportReason = described(z.enum(REPORT_REASONS), "What is wrong with the share", "phishing");
export type ReportReason = z.infer<typeof reportReason>;
export const MAX_REPORT_DETAILS = 1000;

/** The file of a multipart form, buffered in memory (at most 4 MB). */
export interface BufferedFile {
  readonly name: string;
  /** The media type that the uploader declares, if any. */
  readonly type: string | undefined;
  readonly bytes: Uint8Array;
}

export const bufferedFile = z
  .custom<BufferedFile>(
    (value) => typeof value === "object" && value !== null && "bytes" in value,
    "send the file as the form field `file`",
  )
  .meta({ description: "The file's bytes, at most 4 MB", format: "binary" });

/** A file of a form whose files are read one after another. Its disposal releases its memory. */
export interface BatchFile extends Partial<Disposable> {
  /** The path that the client sent; not checked. */
  readonly relativePath: string;
  /** The media type that the uploader declares, if any. */
  readonly type: string | undefined;
  /** The digest that the uploader announces, if any; not checked. */
  readonly sha256?: string | undefined;
  /** The modification time and whether the file is executable, as the client sent them; not checked. */
  readonly modifiedAt?: string | undefined;
  readonly executable?: string | undefined;
  /** The folder of the file in place of the form's, as the client sent it; not checked. */
  readonly folderId?: string | undefined;
  readonly bytes: Uint8Array;
  /** Whether the file exceeds the limit, so that `bytes` is empty. */
  readonly isTooLarge?: boolean;
}

export const batchFiles = z
  .custom<Iterable<BatchFile> | AsyncIterable<BatchFile>>(
    (value) => typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value),
    "send each file as a form field `file`",
  )
  .meta({
    description:
      "The files, each of at most 4 MB, in any number of parts with this name. A field `relativePath` before a file names it, a field `sha256` announces its digest, and `modifiedAt` and `executable` are its own. A field `folderId` between files is the folder of the files after it",
    type: "array",
    items: { type: "string", format: "binary" },
    minItems: 1,
    maxItems: BATCH_UPLOAD.maxFiles,
  });

/** The proof of work that an unlock code requires after too many wrong codes (unlocking, "A share with many wrong codes requires work"). */
export const proofOfWorkFields = {
  challengeId: described(
    text(120).nullish(),
    "With an unlock code: the `challenge_id` from the challenge of a 429",
    "7kXq9Zab.t5k2c0.Zm9v",
  ),
  nonce: described(
    text(64).nullish(),
    "With an unlock code: a text for which SHA-256 of `challengeId:nonce` has the required leading zero bits",
    "123456",
  ),
} as const;
/** The unlock token of a call that reads a protected share. The call shows less without it. */
export const readingToken = described(
  text(200).optional(),
  "The token from POST /downloads/unlock; a wrong one counts as none",
  "ul_mrxkz2g0.7bN2vQ",
);

export const TOO_MANY_CODES = "Too many wrong codes; if there is a `challenge`, send the code again with a proof of work";

/** A password that a sender chooses for a share. It has no control characters, because nobody could enter them on a page. */
export const sharePassword = text(SHARE_PASSWORD.maxLength)
  .refine((password) => passwordLength(password) >= SHARE_PASSWORD.minLength, `give at least ${SHARE_PASSWORD.minLength} characters`)
  .meta({ minLength: SHARE_PASSWORD.minLength, maxLength: SHARE_PASSWORD.maxLength })
  .refine((password) => !/\p{Cc}/u.test(password), "leave out line ends and control characters");

/** The longest text that a recipient enters for a share: a password. A code is shorter. */
export const unlockText = text(SHARE_PASSWORD.maxLength);

/** The token of a private link, which has 46 characters. */
export const handoffText = text(64);

/** What opens a protected share. */
export const unlockKind = described(
  z.enum(["code", "password"]).nullable(),
  "What opens it beside a handoff link: a code that the server made, or a password of the sender; null: it is not protected",
  null,
);

/** What opens a protected share beside its handoff link: a code that the server made, or the password of its sender. */
export type UnlockKind = NonNullable<z.infer<typeof unlockKind>>;

/** Credentials of a new protection, which only one response shows. */
export const protectionCredentials = {
  unlockCode: described(secret(z.string().optional()), "The new unlock code, 6 characters; shown once; none for a password", "K7MP3X"),
  handoffUrl: described(secret(webUrl.optional()), "The new handoff link; shown once", "https://files.example.org/h/ho_5Yc1mQ"),
};

/** The length of a password in characters (accounts, "Signing in"). */
export const PASSWORD = { minLength: 10, maxLength: 128 } as const;
