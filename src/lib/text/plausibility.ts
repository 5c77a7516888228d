import { CYRILLIC_PAIRS, JAPANESE, KOREAN, SIMPLIFIED_CHINESE, TRADITIONAL_CHINESE } from "./frequent-characters.ts";

/**
 * How plausible it is that a text is one of a language: the mean of the points of its characters outside ASCII. Above 0 for texts, below it for
 * bytes that are not text or have another encoding; 0 if all are ASCII.
 */
export type Plausibility = (text: string) => number;

/** The points of a character, by its neighbours; these are empty at the ends. */
type Weigh = (character: string, before: string, after: string) => number;

const FREQUENT = 2.2;
const IMPOSSIBLE = -10;
/** What no text has: replaced bytes, control characters, and code points without a character. */
const NOT_TEXT = /[\ufffd\u200e\u200f\p{Cc}\p{Cn}\p{Co}\p{Cs}]/u;
/** Control characters of ASCII that no text has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
export const BINARY = /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f]/;

function meanOf(weigh: Weigh): Plausibility {
  return (text) => {
    const characters = [...text];
    let sum = 0;
    let count = 0;
    for (const [index, character] of characters.entries()) {
      if (character < "\u0080" && !BINARY.test(character)) continue;
      count += 1;
      sum += NOT_TEXT.test(character) ? IMPOSSIBLE : weigh(character, characters[index - 1] ?? "", characters[index + 1] ?? "");
    }
    return count === 0 ? 0 : sum / count;
  };
}

const charactersOf = (first: number, last: number): string =>
  String.fromCharCode(...Array.from({ length: last - first + 1 }, (_, index) => first + index));

interface AsianScript {
  readonly frequent: string;
  /** Rows of a double-byte encoding with its more frequent characters. */
  readonly rows: { readonly label: string; readonly first: number; readonly last: number };
  readonly script: RegExp;
}

const ASIAN_PUNCTUATION = /[\u3000-\u301f\uff01-\uff5e\u2010-\u2027\u2190-\u2193\u2460-\u2473\u25a0-\u25cf\u2605\u2606\u203b\u00b7\u00d7°]/;
const NARROW_KANA = /[\uff61-\uff9f]/;

function asian({ frequent, rows, script }: AsianScript): Plausibility {
  const frequentOnes = new Set(frequent);
  let known: ReadonlySet<string> | undefined;
  return meanOf((character, before, after) => {
    if (isInsideWord(character, before, after)) return -1;
    if (frequentOnes.has(character)) return FREQUENT;
    if (ASIAN_PUNCTUATION.test(character)) return 0.8;
    if (!script.test(character)) return -1.5;
    if (NARROW_KANA.test(character)) return NARROW_KANA.test(before) || NARROW_KANA.test(after) ? 0.58 : -1;
    known ??= decodeRows(rows);
    return known.has(character) ? 0.6 : -1;
  });
}

/** Whether a Latin word continues in a character, which is then two letters of it: in `Ação`, or at the beginning of `Číslo`. */
function isInsideWord(character: string, before: string, after: string): boolean {
  if (!LETTER.test(character)) return false;
  if (ASCII_LETTER.test(before) && ASCII_LETTER.test(after)) return true;
  return /^[a-z]$/.test(before) || (before < "\u0080" && /^[a-z]$/.test(after));
}

function decodeRows({ label, first, last }: AsianScript["rows"]): ReadonlySet<string> {
  const bytes: number[] = [];
  for (let row = first; row <= last; row += 1) for (let cell = 0xa1; cell <= 0xfe; cell += 1) bytes.push(row, cell);
  return new Set(new TextDecoder(label).decode(Uint8Array.from(bytes)));
}

const HAN = /[\u4e00-\u9fff]/;

/** Japanese, with kana and the characters of JIS level 1. */
export const japanese = asian({
  frequent: charactersOf(0x3041, 0x30fe) + JAPANESE,
  rows: { label: "euc-jp", first: 0xb0, last: 0xcf },
  script: /[\u4e00-\u9fff\uff61-\uff9f]/,
});
/** Chinese, with the characters of GB 2312 level 1. */
export const simplifiedChinese = asian({
  frequent: SIMPLIFIED_CHINESE,
  rows: { label: "gb18030", first: 0xb0, last: 0xd7 },
  script: HAN,
});
export const traditionalChinese = asian({
  frequent: TRADITIONAL_CHINESE,
  rows: { label: "big5", first: 0xa4, last: 0xc6 },
  script: HAN,
});
export const korean = asian({ frequent: KOREAN, rows: { label: "euc-kr", first: 0xb0, last: 0xc8 }, script: /[\uac00-\ud7a3]/ });

/** Signs that texts often have. */
const QUOTES = new Set("«»„“”‘’–—…€");
const PUNCTUATION = new Set("«»‹›„“”‘’–—…•·°§©®™№¡¿€£½¼²³ªº×\u00a0");
const LETTER = /\p{L}/u;
const UPPER = /\p{Lu}/u;
const LOWER = /\p{Ll}/u;
const ASCII_LETTER = /^[A-Za-z]$/;

/** Whether a sign begins a word, as the byte of `Ž` or `Š` seems to do in another encoding. */
const isSignInWord = (character: string, after: string): boolean => (character === "®" || character === "©") && LETTER.test(after);

interface Alphabet {
  /** The letters outside ASCII, in lower case. */
  readonly letters: string;
  /** Letters of most words, which texts in other encodings do not have. */
  readonly typical?: string;
  /** Frequent pairs of letters. */
  readonly pairs?: ReadonlySet<string>;
}

/** Rates text of a language whose words contain only letters of its alphabet. */
function alphabetic({ letters, typical: typicalOnes = "", pairs }: Alphabet): Plausibility {
  const typical = new Set(typicalOnes);
  const own = new Set(letters);
  return meanOf((character, before, after) => {
    const lower = character.toLowerCase();
    if (!own.has(lower)) return PUNCTUATION.has(character) && !isSignInWord(character, after) ? 0.3 : -1.5;
    if (ASCII_LETTER.test(before) || ASCII_LETTER.test(after)) return -1.5;
    if (UPPER.test(character) && LOWER.test(before)) return -2;
    const previous = before.toLowerCase();
    const isFirst = !own.has(previous);
    if (isFirst && !own.has(after.toLowerCase())) return 0.2;
    if (pairs === undefined) return typical.has(lower) ? FREQUENT : 0.8;
    if (isFirst) return 0.8;
    return pairs.has((previous + lower).replaceAll("ё", "е")) ? FREQUENT : 0;
  });
}

export const cyrillic = alphabetic({ letters: "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўђјљњћџ", pairs: new Set(CYRILLIC_PAIRS.split(" ")) });
export const greek = alphabetic({ letters: "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", typical: "άέήίόύώς" });
export const hebrew = alphabetic({ letters: charactersOf(0x5d0, 0x5ea), typical: "יולתה" });
export const arabic = alphabetic({ letters: `${charactersOf(0x621, 0x63a)}${charactersOf(0x641, 0x64a)}پچژگ` });

const THAI_CONSONANT = /[\u0e01-\u0e2e]/;
/** Vowels and tones above or below the consonant before them. */
const THAI_MARK = /[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/;
/** Vowels that are written before their consonant. */
const THAI_LEADING = /[\u0e40-\u0e44]/;
const THAI = /[\u0e01-\u0e3a\u0e3f-\u0e5b]/;
const FREQUENT_THAI = new Set("กคงจชดตถทนบปผพมยรลวสหอะาเแโไใ\u0e31\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e47\u0e48\u0e49\u0e4c");

/** Thai, in which marks follow consonants and other marks. */
export const thai = meanOf((character, before, after) => {
  if (!THAI.test(character)) return PUNCTUATION.has(character) ? 0.3 : -1.5;
  if (ASCII_LETTER.test(before) || ASCII_LETTER.test(after)) return -1.5;
  if (THAI_MARK.test(character) && !THAI_CONSONANT.test(before) && !THAI_MARK.test(before)) return -3;
  if (THAI_LEADING.test(character) && !THAI_CONSONANT.test(after)) return -3;
  return FREQUENT_THAI.has(character) ? FREQUENT : 0.3;
});

/** Where a language has a letter. Other readings of the same bytes often have it elsewhere: Polish `Gdańsk` is `Gdañsk` in Windows-1252. */
interface Habits {
  /** Letters, in lower case, that only end words. */
  readonly final?: string;
  /** Letters, in lower case, that do not begin words. */
  readonly inner?: string;
  /** Letters, in lower case, and which letter or end of the word follows each. */
  readonly followed?: Readonly<Record<string, RegExp>>;
  /** Whether short words may have only these letters, such as `ÄÖÜ` and `żółć`. */
  readonly ownWords?: boolean;
}

const IN_WRONG_PLACE = -1.5;
/** Consonants that follow `è`. */
const AFTER_GRAVE = /^[bcdfglmnpqrstv]?$/i;
/** Somewhat more than the most frequent characters of other scripts: bytes of those are rarely all letters of one language. */
const WORD_OF_OWN_LETTERS = 2.3;

/** A language whose words mix letters of ASCII with a few others, given in lower case. */
function latin(letters: string, { final = "", inner = "", followed = {}, ownWords = false }: Habits = {}): Plausibility {
  const own = new Set(letters);
  const upper = letters.replace("ß", "").toUpperCase();
  const words = new RegExp(`(?<!\\p{L})(?:[${letters}${upper}][${letters}]{1,3}|[${upper}]{2,4})(?!\\p{L})`, "gu");
  const rate = meanOf((character, before, after) => {
    if (PUNCTUATION.has(character)) {
      if (isSignInWord(character, after)) return -0.5;
      if (LETTER.test(before) && LETTER.test(after) && character !== "’") return -0.5;
      return character === "¿" ? 1.6 : QUOTES.has(character) ? 1 : 0.6;
    }
    const lower = character.toLowerCase();
    if (!own.has(lower)) return -1.5;
    if (UPPER.test(character) && LOWER.test(before)) return -2;
    if (LOWER.test(character) && UPPER.test(before) && UPPER.test(after)) return -2;
    const isFirst = !LETTER.test(before);
    const isLast = !LETTER.test(after);
    if (!isLast && final.includes(lower)) return IN_WRONG_PLACE;
    if (isFirst && !isLast && inner.includes(lower)) return IN_WRONG_PLACE;
    if (!(isFirst && isLast) && followed[lower]?.test(isLast ? "" : after) === false) return IN_WRONG_PLACE;
    if (ASCII_LETTER.test(before) || ASCII_LETTER.test(after)) return 1.6;
    if (own.has(before.toLowerCase()) || own.has(after.toLowerCase())) return 0.6;
    return LETTER.test(before) || LETTER.test(after) ? -0.5 : 0.7;
  });
  if (!ownWords) return rate;
  return (text) => {
    const others = text.replace(words, "");
    return others !== text && !/[^\0-\x7f]/.test(others) ? WORD_OF_OWN_LETTERS : rate(text);
  };
}

export const german = latin("äöüßéàèç", { inner: "èà", followed: { è: AFTER_GRAVE }, ownWords: true });
export const french = latin("àâçéèêëîïôùûœæü", {
  final: "ù",
  inner: "èëïùûü",
  followed: { ê: /^[acehlmnpqrstuvy]?$/i, œ: /^[cdimtu]$/i, æ: /^[cqstx]?$/i, è: AFTER_GRAVE },
});
export const spanish = latin("áéíóúñüç", { followed: { ñ: /^[aeiouáéíóú]$/i, ü: /^[aeiéí]$/i } });
export const portuguese = latin("ãõáéíóúâêôçà", {
  inner: "ãõê",
  followed: { ç: /^[aouãõáóúâ]$/i, õ: /^e$/i, ê: /^[cimnsu]?$/i },
});
export const italian = latin("àèéìòùç", { final: "àèìòù" });
export const swedish = latin("åäöéüà", { ownWords: true });
export const danish = latin("æøåéöüó", { followed: { æ: /^[^wzß]?$/i, ø: /^[^i]?$/i }, ownWords: true });
export const icelandic = latin("áéíóúýðþæö");
export const polish = latin("ąćęłńóśźż", { inner: "ąęń", ownWords: true });
export const czech = latin("áčďéěíňóřšťúůýž");
export const slovak = latin("áäčďéíĺľňóôŕšťúýž");
export const hungarian = latin("áéíóöőúüű");
export const southSlavic = latin("čćđšž");
export const romanian = latin("ăâîşţ");
export const turkish = latin("çğıöşüâîİ");
export const baltic = latin("āčēģīķļņōŗšūžąęėįųõäöü");

/**
 * Any text of two-byte characters: most are of Latin, or of the same row of Unicode as the one before. Where the bytes are not such a text, rows change
 * from character to character.
 */
export function twoByteText(text: string): number {
  let nearCount = 0;
  let row = -1;
  for (const character of text) {
    if (BINARY.test(character) || (character >= "\u0080" && NOT_TEXT.test(character))) return IMPOSSIBLE;
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0x100 && code >> 8 !== row) row = code >> 8;
    else nearCount += 1;
  }
  const share = nearCount / Math.max(text.length, 1);
  return share > 0.6 ? 2 * share : -1;
}
