import { decodeBytes, decodeUtf8, findTextEncoding } from "./text-encoding.ts";

/** Control characters except tabs and line ends, and characters that change the direction of the text after them. */
const HIDDEN = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;
const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;

/**
 * Decodes the start of a text file as UTF-8, or as UTF-16 with a byte order mark; other bytes are read as Windows-1252. Line ends become `\n`, and
 * hidden characters visible ones, such as `␛` or `[U+202E]`.
 */
export function toReadableText(bytes: Uint8Array): string {
  return decode(bytes)
    .replace(/\r\n?/g, "\n")
    .replace(HIDDEN, (character) => {
      const code = character.charCodeAt(0);
      if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
      return code === DELETE ? "␡" : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
    });
}

function decode(bytes: Uint8Array): string {
  const encoding = findTextEncoding(bytes);
  // Bytes that are no plausible text were declared as one.
  return encoding === undefined ? (decodeUtf8(bytes) ?? decodeBytes("windows-1252", bytes)) : decodeBytes(encoding, bytes);
}
