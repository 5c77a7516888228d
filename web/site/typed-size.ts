import { parseSize } from "../../src/lib/text/parse-size.ts";
import type { Language } from "../texts/languages.ts";

/** What a field for a size accepts in a browser: a number, also with separators, and perhaps a unit. */
export const TYPED_SIZE_PATTERN = "\\s*\\d[\\d.,\\s]*([KMGTkmgt](i?[Bb]|[Oo])?|[Bb](ytes?)?|[Oo](ctets?)?)?\\s*";

/** What separates the thousands of a number in a language. */
const GROUPS: Readonly<Record<Language, RegExp>> = { en: /[,\s](?=\d{3})/g, de: /[.\s](?=\d{3})/g, fr: /\s(?=\d{3})/g };
const BYTES = /(?:bytes?|o(?:ctets?)?)$/i;

/**
 * Parses a size that a person typed in a language to bytes: `2 GB`, `1.5 GB` or `1,000 MB` in English, `1,5 GB` in German, `1,5 Go` in French.
 * A number without a unit is in `plainUnit`. Undefined for other text, and for less than a byte.
 */
export function parseTypedSize(text: string, language: Language, plainUnit = "MB"): number | undefined {
  const plain = text.trim().replace(GROUPS[language], "").replace(",", ".").replace(BYTES, "B");
  const bytes = parseSize(/\d$/.test(plain) ? plain + plainUnit : plain);
  return bytes === undefined || bytes < 1 ? undefined : bytes;
}
