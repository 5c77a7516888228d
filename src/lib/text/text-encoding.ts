import * as language from "./plausibility.ts";
import { BINARY } from "./plausibility.ts";

/** An encoding in which bytes are tried. */
export interface Candidate {
  /** The label of `TextDecoder`, unless `decode` is given. */
  readonly encoding: string;
  readonly languages: readonly language.Plausibility[];
  /** Default: `TextDecoder`. */
  readonly decode?: (bytes: Uint8Array) => string;
  /** Subtracted because other encodings are more frequent. */
  readonly handicap?: number;
}

/** The languages of Western Europe. */
export const WESTERN = [
  language.german,
  language.french,
  language.spanish,
  language.portuguese,
  language.italian,
  language.swedish,
  language.danish,
];
const CENTRAL = [language.polish, language.czech, language.hungarian, language.southSlavic, language.romanian];
const EAST_ASIAN = [language.japanese, language.simplifiedChinese, language.traditionalChinese, language.korean];

/** Encodings of one or two bytes for a character, in the order in which equally plausible ones are preferred. */
const CANDIDATES: readonly Candidate[] = [
  { encoding: "windows-1252", languages: WESTERN },
  { encoding: "gb18030", languages: [language.simplifiedChinese] },
  { encoding: "shift_jis", languages: [language.japanese] },
  { encoding: "euc-kr", languages: [language.korean] },
  { encoding: "big5", languages: [language.traditionalChinese] },
  { encoding: "euc-jp", languages: [language.japanese] },
  { encoding: "windows-1251", languages: [language.cyrillic] },
  { encoding: "koi8-u", languages: [language.cyrillic] },
  { encoding: "ibm866", languages: [language.cyrillic], handicap: 0.2 },
  { encoding: "iso-8859-5", languages: [language.cyrillic], handicap: 0.4 },
  { encoding: "windows-1250", languages: CENTRAL, handicap: 0.1 },
  { encoding: "iso-8859-2", languages: CENTRAL, handicap: 0.15 },
  { encoding: "windows-1250", languages: [language.slovak], handicap: 0.2 },
  { encoding: "iso-8859-2", languages: [language.slovak], handicap: 0.25 },
  { encoding: "windows-1254", languages: [language.turkish], handicap: 0.1 },
  { encoding: "windows-1252", languages: [language.icelandic], handicap: 0.2 },
  { encoding: "windows-1257", languages: [language.baltic], handicap: 0.2 },
  { encoding: "windows-1253", languages: [language.greek], handicap: 0.2 },
  { encoding: "windows-1255", languages: [language.hebrew], handicap: 0.1 },
  { encoding: "windows-1256", languages: [language.arabic], handicap: 0.2 },
  { encoding: "iso-8859-6", languages: [language.arabic], handicap: 0.25 },
  { encoding: "windows-874", languages: [language.thai], handicap: 1.2 },
  { encoding: "macintosh", languages: WESTERN, handicap: 0.4 },
];
const TWO_BYTES: readonly Candidate[] = ["utf-16le", "utf-16be"].map((encoding) => ({
  encoding,
  languages: [language.twoByteText, ...EAST_ASIAN],
  handicap: 0.4,
}));

/** What no text in UTF-32 has. A code that is too large says that the bytes are not one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const NOT_UTF_32 = /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f\ufffd]/;
/** The most bytes by which an encoding is recognized. */
const SAMPLE_BYTES = 1_024;
const LINE_END = 0x0a;
/** Whether no text of single bytes has a byte: control characters except tabs, line ends, form feeds and escapes. */
const isBinaryByte = (byte: number): boolean => (byte < 0x20 ? (byte < 0x09 || byte > 0x0d) && byte !== 0x1b : byte === 0x7f);
/** ISO-2022-JP changes to Japanese characters by this sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence begins with one.
const JAPANESE_ESCAPE = /\x1b\$[@B]/;

/**
 * The encoding of a text, which `decodeBytes` accepts, also if the end of the bytes cuts a character; undefined if the bytes are not a text. Without a
 * byte order mark it is UTF-8 if the bytes are, otherwise the encoding in which they are most plausible.
 */
export function findTextEncoding(bytes: Uint8Array): string | undefined {
  const marked = findMarked(bytes);
  if (marked !== undefined)
    return (marked.startsWith("utf-32") ? NOT_UTF_32 : BINARY).test(decodeBytes(marked, bytes)) ? undefined : marked;
  const utf8 = decodeUtf8(bytes);
  const isBinary = bytes.some(isBinaryByte);
  if (utf8 !== undefined && !isBinary) return JAPANESE_ESCAPE.test(utf8) ? "iso-2022-jp" : "utf-8";
  const twoBytes = bytes.length % 2 === 0 ? findMostPlausible(TWO_BYTES, bytes.subarray(0, SAMPLE_BYTES)) : undefined;
  const other = isBinary ? undefined : findMostPlausible(CANDIDATES, sampleLines(bytes));
  const best = (other?.score ?? 0) > (twoBytes?.score ?? 0) ? other : twoBytes;
  return best?.candidate.encoding;
}

/**
 * How to decode names that are not UTF-8, also several on lines: in the encoding in which they are most plausible, of the usual ones and `others`,
 * which are preferred; undefined if they are in none.
 */
export function findNameDecoder(bytes: Uint8Array, others: readonly Candidate[] = []): ((bytes: Uint8Array) => string) | undefined {
  const found = findMostPlausible([...others, ...CANDIDATES], sampleLines(bytes));
  return found && ((name) => decodeAs(found.candidate, name));
}

/** Letters that few names have, and that the bytes of Chinese names are in UTF-8: `ͼƬ` is 图片. */
const DOUBTFUL = /[\u0180-\u0217\u021c-\u02ba\u02c0-\u02ff\u0370-\u0385\u03cf-\u03ff\u0460-\u052f\u0700-\u07ff]/;

/** Decodes names in UTF-8; undefined if the bytes are not, or are rather Chinese in GBK. */
export function decodeUtf8Name(bytes: Uint8Array): string | undefined {
  const name = decodeUtf8(bytes);
  if (name === undefined || !DOUBTFUL.test(name)) return name;
  return language.simplifiedChinese(decodeBytes("gb18030", bytes)) > 1 ? undefined : name;
}

const decodeAs = ({ encoding, decode }: Candidate, bytes: Uint8Array): string => decode?.(bytes) ?? decodeBytes(encoding, bytes);

/** Decodes bytes, without a byte order mark and without a character that their end cuts; what is invalid becomes `\ufffd`. */
export function decodeBytes(encoding: string, bytes: Uint8Array): string {
  if (encoding === "utf-32le" || encoding === "utf-32be") return decodeUtf32(bytes, encoding === "utf-32le");
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}

/** `TextDecoder` has no UTF-32. */
function decodeUtf32(bytes: Uint8Array, isLittleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = "";
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, isLittleEndian);
    text += code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? "\ufffd" : String.fromCodePoint(code);
  }
  return text.replace(/^\ufeff/, "");
}

/** Decodes UTF-8; undefined if the bytes are not. A single character outside ASCII that is cut is not a sign of UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return (bytes.at(-1) ?? 0) < 0x80 || /[^\0-\x7f]/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function findMarked([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe && third === 0 && fourth === 0) return "utf-32le";
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return "utf-32be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : undefined;
}

interface Plausible {
  readonly candidate: Candidate;
  readonly score: number;
}

/** Characters that decoded invalid bytes contain. A text with many is rejected here, before the slower rules. */
const INVALID = /[\ufffd\u0080-\u009f\ue000-\uf8ff]/g;
const MAX_INVALID = 0.02;
const countOf = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;

/** Bytes that are not a text can be as plausible. */
const MIN_SCORE = 0.5;

/** The encoding in which the bytes are most plausible; undefined if they are a plausible text in none. */
function findMostPlausible(candidates: readonly Candidate[], bytes: Uint8Array): Plausible | undefined {
  let best: Plausible | undefined;
  for (const candidate of candidates) {
    const text = decodeAs(candidate, bytes);
    if (BINARY.test(text) || countOf(INVALID, text) > text.length * MAX_INVALID) continue;
    const score = Math.max(...candidate.languages.map((plausibility) => plausibility(text))) - (candidate.handicap ?? 0);
    if (score > (best?.score ?? MIN_SCORE)) best = { candidate, score };
  }
  return best;
}

/** The first lines with bytes outside ASCII: a program may have many without. */
function sampleLines(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(SAMPLE_BYTES);
  let length = 0;
  let start = 0;
  while (start < bytes.length && length < SAMPLE_BYTES) {
    const found = bytes.indexOf(LINE_END, start);
    const end = found < 0 ? bytes.length : found + 1;
    const line = bytes.subarray(start, end);
    if (line.some((byte) => byte >= 0x80)) {
      const part = line.subarray(0, SAMPLE_BYTES - length);
      sample.set(part, length);
      length += part.length;
    }
    start = end;
  }
  return sample.subarray(0, length);
}
