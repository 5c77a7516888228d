import { decodeEncodedWords } from "./decode-name.ts";
import { hasVisible } from "./has-visible.ts";
import { shorten } from "./stored-name.ts";

const FALLBACK = "file";
/** Control characters, line and paragraph separators, and characters that change the text direction. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Converts any text to a file name of 1 to 255 bytes of UTF-8, without control or direction-changing characters (uploads, "Name and type"): the last
 * segment of a path. The name is displayed and offered, never used as a path on the server.
 */
export function toFileName(raw: string): string {
  return shorten(toSegments(raw).at(-1) ?? FALLBACK);
}

/** Converts any text to a relative path of safe names joined by `/`, without `.`, `..` and a drive letter; null if nothing is left. */
export function toRelativePath(raw: string): string | null {
  const segments = toSegments(raw);
  const [first = "", ...rest] = segments;
  const inside = rest.length > 0 && /^[a-z]:$/i.test(first) ? rest : segments;
  return inside.length === 0 ? null : inside.map((segment) => shorten(segment)).join("/");
}

/** The names in a path that people see, without `.` and `..`. */
const toSegments = (raw: string): readonly string[] =>
  decodeEncodedWords(raw)
    .toWellFormed()
    .split(/[/\\]/)
    .map((segment) => segment.replace(UNSAFE, "").trim())
    .filter((segment) => hasVisible(segment) && segment !== "." && segment !== "..");

/** Converts any text to one line without control or direction-changing characters, safe to display; empty if nothing in it is visible. */
export const toSingleLine = (raw: string): string => (hasVisible(raw) ? raw.toWellFormed().replace(UNSAFE, "").trim() : "");

/** Returns a name without case and accents, for searches. */
export const toSearchKey = (name: string): string => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * Returns the keys by which a file's name is searched and sorted. In the sort order, numbers count by their value (`2` before `10`): each is preceded
 * by the number of its digits.
 */
export function toNameKeys(name: string): { readonly name_key: string; readonly name_order: string } {
  const name_key = toSearchKey(name);
  return { name_key, name_order: name_key.replace(/\d+/g, toOrderedNumber) };
}

function toOrderedNumber(digits: string): string {
  const value = digits.replace(/^0+(?=\d)/, "");
  return (value.length < 9 ? String(value.length) : `9${String(value.length).padStart(3, "0")}`) + value;
}

/** Returns a path with another name at its end; unchanged without a name. */
export const withLastPart = (path: string | null, name: string | null): string | null =>
  path && name ? path.slice(0, path.lastIndexOf("/") + 1) + name : path;
