/*
 * A file and its name can be wrapped in a tar archive, which is encrypted if the name must be hidden too. After decryption with another program, `tar
 * x` unpacks it. A comment in its header distinguishes it from archives that somebody sends.
 */

import { joinBytes } from "../../lib/formats/join-bytes.ts";
import { DecryptionError } from "./decryption-error.ts";
import { BEFORE_BYTES, BLOCK, padding, RECORDS_BYTES } from "./wrapped-size.ts";

const COMMENT = "filehost: an encrypted file with its name";
const MAX_OCTAL_SIZE = 8 ** 11;

const utf8 = new TextEncoder();

export interface NamedContent {
  /** A path with `/` between its folders, or a name. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Milliseconds since 1970; 0 if the time is not included. */
  readonly modifiedMs: number;
  readonly isExecutable: boolean;
}

/** Makes the bytes before and after the content of a file. Its name has at most 1,024 characters. */
export function wrapName({ name, sizeBytes, modifiedMs, isExecutable }: NamedContent): {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
} {
  const facts = toRecord("path", name) + toRecord("size", String(sizeBytes));
  const spare = RECORDS_BYTES - utf8.encode(facts + toRecord("comment", COMMENT)).length;
  // The length of the comment has three or four digits, so the first try may be one byte too long.
  const fill = [spare, spare - 1, spare - 2].find((count) => utf8.encode(facts + toComment(count)).length === RECORDS_BYTES);
  if (fill === undefined) throw new RangeError("The name is too long");
  const records = utf8.encode(facts + toComment(fill));
  const seconds = Math.floor(modifiedMs / 1000);
  const attributes = { isExecutable, modifiedSeconds: seconds > 0 && seconds < MAX_OCTAL_SIZE ? seconds : 0 };
  const headers = [
    toHeader({ name: "PaxHeaders/file", type: "x", sizeBytes: records.length, ...attributes }),
    records,
    // Readers take the size from the records.
    toHeader({ name: "file", type: "0", sizeBytes: sizeBytes < MAX_OCTAL_SIZE ? sizeBytes : 0, ...attributes }),
  ];
  return { before: joinBytes(headers), after: new Uint8Array(padding(sizeBytes) + 2 * BLOCK) };
}

const toComment = (fill: number): string => toRecord("comment", COMMENT + " ".repeat(Math.max(0, fill)));

/** Formats `LENGTH name=value\n`, where the length counts its own digits. */
function toRecord(name: string, value: string): string {
  const rest = utf8.encode(` ${name}=${value}\n`).length;
  let length = rest + String(rest).length;
  if (rest + String(length).length > length) length += 1;
  return `${length} ${name}=${value}\n`;
}

interface Header {
  readonly name: string;
  readonly type: "0" | "x";
  readonly sizeBytes: number;
  readonly modifiedSeconds: number;
  readonly isExecutable: boolean;
}

function toHeader({ name, type, sizeBytes, modifiedSeconds, isExecutable }: Header): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const write = (text: string, at: number): void => header.set(utf8.encode(text), at);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");
  write(name, 0);
  write(octal(isExecutable ? 0o700 : 0o600, 7), 100);
  write(octal(0, 7), 108);
  write(octal(0, 7), 116);
  write(octal(sizeBytes, 11), 124);
  write(octal(modifiedSeconds, 11), 136);
  write("        ", 148);
  write(type, 156);
  write("ustar", 257);
  write("00", 263);
  write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  );
  return header;
}

/** Decrypted content: its bytes, and its name and attributes if they were wrapped. The name is unchecked. */
export interface UnwrappedFile extends Pick<NamedContent, "modifiedMs" | "isExecutable"> {
  readonly name: string | undefined;
  /** The size of the content; undefined if it was not wrapped. */
  readonly sizeBytes: number | undefined;
  readonly body: ReadableStream<Uint8Array>;
}

/** Finds the name of a file that `wrapName` wrapped. Passes on all other bytes unchanged. The body fails if the source does. */
export async function unwrapName(source: ReadableStream<Uint8Array>): Promise<UnwrappedFile> {
  const reader = source.getReader();
  let held: Uint8Array = new Uint8Array();
  const hold = async (bytes: number): Promise<boolean> => {
    while (held.length < bytes) {
      const { done, value } = await reader.read();
      if (done) return false;
      held = joinBytes([held, value]);
    }
    return true;
  };
  const found = await findHeader(hold, () => held);
  if (found === undefined)
    return { name: undefined, sizeBytes: undefined, modifiedMs: 0, isExecutable: false, body: toBody(reader, held, undefined) };
  return { ...found, body: toBody(reader, held.subarray(BEFORE_BYTES), found.sizeBytes) };
}

/** The position, size and name of the file in a wrapped one. The name is unchecked. */
export interface Wrapping {
  readonly name: string;
  readonly start: number;
  readonly sizeBytes: number;
}

/** Reads the wrapping at the beginning of decrypted content; undefined if it has none. The beginning has all content, or at least one chunk. */
export async function readWrapping(beginning: Uint8Array): Promise<Wrapping | undefined> {
  const found = await findHeader(
    async (bytes) => beginning.length >= bytes,
    () => beginning,
  );
  return found && { name: found.name, start: BEFORE_BYTES, sizeBytes: found.sizeBytes };
}

async function findHeader(hold: (bytes: number) => Promise<boolean>, held: () => Uint8Array): Promise<NamedContent | undefined> {
  if (!(await hold(BLOCK))) return undefined;
  const first = new TextDecoder("latin1").decode(held().subarray(0, BLOCK));
  const length = Number.parseInt(first.slice(124, 135), 8);
  if (first.slice(257, 262) !== "ustar" || first[156] !== "x" || length !== RECORDS_BYTES) return undefined;
  if (!(await hold(BEFORE_BYTES))) return undefined;
  const records = readRecords(held().subarray(BLOCK, BLOCK + RECORDS_BYTES));
  const [name, size] = [records.get("path"), Number(records.get("size"))];
  if (records.get("comment")?.trimEnd() !== COMMENT || name === undefined || !Number.isSafeInteger(size) || size < 0) return undefined;
  const octal = (start: number, end: number): number => Number.parseInt(first.slice(start, end), 8) || 0;
  return { name, sizeBytes: size, modifiedMs: octal(136, 147) * 1000, isExecutable: (octal(100, 107) & 0o100) !== 0 };
}

function readRecords(bytes: Uint8Array): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(new TextDecoder().decode(bytes.subarray(at, at + 10)), 10);
    if (!(length > 0)) break;
    const [, name = "", value = ""] = /^\d+ ([^=]+)=([\s\S]*)\n$/.exec(new TextDecoder().decode(bytes.subarray(at, at + length))) ?? [];
    records.set(name, value);
    at += length;
  }
  return records;
}

/** Returns the buffered bytes and the following ones, up to `sizeBytes`. Reads the source to its end, which verifies it. */
function toBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  held: Uint8Array,
  sizeBytes: number | undefined,
): ReadableStream<Uint8Array> {
  let left = sizeBytes ?? Number.POSITIVE_INFINITY;
  const pass = (bytes: Uint8Array, controller: ReadableStreamDefaultController<Uint8Array>): boolean => {
    const passed = bytes.subarray(0, Math.min(bytes.length, left));
    left -= passed.length;
    if (passed.length > 0) controller.enqueue(passed);
    return passed.length > 0;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      pass(held, controller);
    },
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done && sizeBytes !== undefined && left > 0) throw new DecryptionError("damaged");
        if (done) return controller.close();
        if (pass(value, controller)) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
