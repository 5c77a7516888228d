/* Names as file systems limit and compare them. Scripts of pages use these rules too. */

/** The longest file name or path segment, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 255;

const encoder = new TextEncoder();

/** Cuts a name to `maxBytes` of UTF-8 between characters, and preserves a short extension. */
export function shorten(name: string, maxBytes = MAX_NAME_BYTES): string {
  if (encoder.encode(name).length <= maxBytes) return name;
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : "";
  return cutToBytes(name.slice(0, name.length - extension.length), maxBytes - encoder.encode(extension).length) + extension;
}

/** Returns the beginning of a text, at most `maxBytes` of UTF-8 in whole characters. */
export function cutToBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let cut = "";
  for (const character of text) {
    bytes += encoder.encode(character).length;
    if (bytes > maxBytes) break;
    cut += character;
  }
  return cut;
}

/** Normalizes a name for comparison as many file systems do: ignoring case and the encoding of accents. */
export const normalizeName = (name: string): string => name.normalize("NFC").toLowerCase();
