import { parseSize } from "../../src/lib/text/parse-size.ts";

/** What a field for a size accepts in a browser: a number, also with separators, and perhaps a unit. */
export const TYPED_SIZE_PATTERN = "\\s*\\d[\\d.,\\s]*([KMGTkmgt](i?[Bb]|[Oo])?)?\\s*";

/**
 * Parses a size that a person typed in any of the languages to bytes: `2 GB`, `1,5 Go`, `1,000 MB`, or `500`, which are megabytes. Undefined for other
 * text, and for less than a byte.
 */
export function parseTypedSize(text: string): number | undefined {
  const plain = text
    .trim()
    .replace(/[.,\s](?=\d{3}(?!\d))/g, "")
    .replace(",", ".")
    .replace(/o$/i, "B");
  const bytes = parseSize(/\d$/.test(plain) ? `${plain}MB` : plain);
  return bytes === undefined || bytes < 1 ? undefined : bytes;
}
