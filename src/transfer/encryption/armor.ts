/*
 * Encrypted files that are written as text (`age --armor`) are decoded while they are read, because the library decodes only a whole text. The rules
 * are those of the program `age`: full lines of base64 between two marks, of which only the last may be shorter, and white space before and after the
 * marks. Blanks around the first mark are accepted too, as when such files are recognized.
 */

import { DecryptionError } from "./decryption-error.ts";

const BEGIN = "-----BEGIN AGE ENCRYPTED FILE-----";
const END = "-----END AGE ENCRYPTED FILE-----";
/** The largest white space before the first mark, and after the last one. */
const MAX_BLANK_BYTES = 1024;
const LINE_CHARACTERS = 64;
/** The largest size of a mark with its blanks. All bounds together are smaller than the bytes that are read to recognize such a file. */
const MAX_MARK_BYTES = 100;

const [TAB, NEWLINE, RETURN, SPACE, DASH, EQUALS] = [9, 10, 13, 32, 45, 61];
const NO_DIGIT = 255;
const DIGITS = new Uint8Array(256).fill(NO_DIGIT);
for (const [value, character] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
  DIGITS[character.charCodeAt(0)] = value;

const isBlank = (byte: number): boolean => byte === SPACE || (byte >= TAB && byte <= RETURN);

/**
 * Decodes encrypted bytes that may be written as text; returns other sources unchanged. The result fails with DecryptionError for a text with
 * unexpected lines.
 */
export async function decodeArmor(source: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const reader = source.getReader();
  const held: Uint8Array[] = [];
  let isText = false;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    held.push(next.value);
    const start = next.value.find((byte) => !isBlank(byte));
    isText = start === DASH;
    if (start !== undefined || sizeOf(held) > MAX_BLANK_BYTES) break;
  }
  const decode = isText ? createDecoder() : undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A piece may end before any byte is complete. A stream is not read again until its consumer gets a byte, so the loop continues.
      for (;;) {
        const bytes = held.shift() ?? (await reader.read()).value;
        if (bytes === undefined) {
          decode?.end();
          return controller.close();
        }
        const decoded = decode === undefined ? bytes : decode.add(bytes);
        if (decoded.length > 0) return controller.enqueue(decoded);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

const sizeOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

const LINE_BYTES = (LINE_CHARACTERS / 4) * 3;

/**
 * Decodes a full line without padding at a position. Returns the number of bytes of the line with its line break, or 0 for other lines, which take
 * longer.
 */
function decodeLine(text: Uint8Array, from: number, decoded: Uint8Array, to: number): number {
  const end = from + LINE_CHARACTERS;
  const breakBytes = text[end] === NEWLINE ? 1 : 2;
  if (text[end + breakBytes - 1] !== NEWLINE || (breakBytes === 2 && text[end] !== RETURN)) return 0;
  let all = 0;
  for (let at = from, target = to; at < end; at += 4, target += 3) {
    const first = DIGITS[text[at] as number] as number;
    const second = DIGITS[text[at + 1] as number] as number;
    const third = DIGITS[text[at + 2] as number] as number;
    const fourth = DIGITS[text[at + 3] as number] as number;
    all |= first | second | third | fourth;
    decoded[target] = (first << 2) | (second >> 4);
    decoded[target + 1] = (second << 4) | (third >> 2);
    decoded[target + 2] = (third << 6) | fourth;
  }
  return all < 64 ? LINE_CHARACTERS + breakBytes : 0;
}

interface Decoder {
  add(text: Uint8Array): Uint8Array;
  /** Throws unless the text is complete. */
  end(): void;
}

/** The next text for the decoder: blanks and the first mark, lines, the last mark, blanks. */
type ArmorPart = "begin" | "lines" | "end" | "after";

function createDecoder(): Decoder {
  let part: ArmorPart = "begin";
  let mark = "";
  let blanks = 0;
  /** The number of characters in the current line, and of padding characters among them. */
  let [column, fill] = [0, 0];
  let hasReturn = false;
  let isLastLine = false;
  let bits = 0;

  /** Adds a byte of a mark. Returns whether its line has ended. */
  function endsMark(byte: number, expected: string): boolean {
    if (byte !== NEWLINE) mark += String.fromCharCode(byte);
    if (mark.length > MAX_MARK_BYTES) throw damaged();
    if (byte !== NEWLINE) return false;
    checkMark(expected);
    return true;
  }

  function checkMark(expected: string): void {
    if (mark.replace(/[ \t]*\r?$/, "") !== expected) throw damaged();
    mark = "";
  }

  function countBlank(byte: number): void {
    blanks += 1;
    if (!isBlank(byte) || blanks > MAX_BLANK_BYTES) throw damaged();
  }

  function endLine(): void {
    if (column === 0 || column % 4 !== 0) throw damaged();
    isLastLine = column < LINE_CHARACTERS || fill > 0;
    [column, fill, hasReturn] = [0, 0, false];
  }

  /** Adds a byte of a line of base64. Returns the number of bytes that it completes in `bits`. */
  function addCharacter(byte: number): number {
    const digit = DIGITS[byte] as number;
    const isFill = byte === EQUALS && column % 4 >= 2;
    if (hasReturn || isLastLine || column === LINE_CHARACTERS || (digit === NO_DIGIT && !isFill) || (fill > 0 && !isFill)) throw damaged();
    bits = (column % 4 === 0 ? 0 : bits << 6) | (isFill ? 0 : digit);
    column += 1;
    if (isFill) fill += 1;
    if (column % 4 !== 0) return 0;
    // The unused bits before the padding must be zero.
    if ((bits & (2 ** (8 * fill) - 1)) !== 0) throw damaged();
    return 3 - fill;
  }

  return {
    add(text) {
      const decoded = new Uint8Array(Math.ceil((text.length + 3) / 4) * 3);
      let length = 0;
      for (let at = 0; at < text.length; at += 1) {
        if (part === "lines" && column === 0 && !hasReturn && !isLastLine) {
          for (let line = decodeLine(text, at, decoded, length); line > 0; line = decodeLine(text, at, decoded, length)) {
            length += LINE_BYTES;
            at += line;
          }
        }
        const byte = text[at];
        if (byte === undefined) break;
        if (part === "lines") {
          if (byte === NEWLINE) endLine();
          else if (byte === RETURN && !hasReturn) hasReturn = true;
          else if (byte === DASH && column === 0 && !hasReturn) {
            part = "end";
            mark = "-";
          } else {
            const count = addCharacter(byte);
            for (let index = 0; index < count; index += 1) decoded[length + index] = bits >> (16 - 8 * index);
            length += count;
          }
        } else if (part === "begin") {
          if (mark === "" && isBlank(byte)) countBlank(byte);
          else if (endsMark(byte, BEGIN)) {
            part = "lines";
            blanks = 0;
          }
        } else if (part === "after") countBlank(byte);
        else if (endsMark(byte, END)) part = "after";
      }
      return decoded.subarray(0, length);
    },
    end() {
      // The last mark may have no line break.
      if (part === "end") checkMark(END);
      else if (part !== "after") throw damaged();
    },
  };
}

const damaged = (): DecryptionError => new DecryptionError("damaged");
