import { decodeBytes, decodeUtf8Name, findNameDecoder } from "./text-encoding.ts";

/** Decodes a name whose encoding is not declared: UTF-8, otherwise that in which it is most plausible (uploads, "Name and type"). */
export const decodeName = (bytes: Uint8Array): string =>
  decodeUtf8Name(bytes) ?? findNameDecoder(bytes)?.(bytes) ?? decodeBytes("windows-1252", bytes);

/** Decodes the percent codes of a name. They can be of any encoding; what is no code stays as it is. */
export const decodePercentCodes = (name: string): string => decodeName(toCodedBytes(name, /%([\da-f]{2})/gi));

/** Decodes an extended parameter (`UTF-8''%C3%84.txt`, RFC 8187), of any known encoding; undefined if it is malformed. */
export function decodeExtended(value: string): string | undefined {
  const [, charset = "", coded] = /^([\w.:+-]+)'[^']*'([^']*)$/.exec(value) ?? [];
  if (coded === undefined || /%(?![\da-f]{2})/i.test(coded)) return undefined;
  if (/^utf-?8$/i.test(charset)) return decodePercentCodes(coded);
  try {
    return new TextDecoder(charset).decode(toCodedBytes(coded, /%([\da-f]{2})/gi));
  } catch {
    return undefined;
  }
}

const WORD = String.raw`=\?([\w.:+-]+)(?:\*[\w-]*)?\?([bq])\?([^?\r\n]*)\?=`;

/** Decodes the encoded words of mail headers (`=?utf-8?B?w4QudHh0?=`, RFC 2047), which some programs send as names. Malformed ones stay. */
export const decodeEncodedWords = (name: string): string =>
  name.replace(new RegExp(`${WORD}(?:\\s*${WORD})*`, "gi"), (sent) => {
    const words: { readonly charset: string; readonly bytes: Buffer }[] = [];
    for (const [, charset = "", encoding = "", content = ""] of sent.matchAll(new RegExp(WORD, "gi"))) {
      const bytes =
        encoding.toLowerCase() === "b" ? Buffer.from(content, "base64") : toCodedBytes(content.replaceAll("_", " "), /=([\da-f]{2})/gi);
      const last = words.at(-1);
      // Some programs divide a character between two words.
      if (last?.charset === charset) words[words.length - 1] = { charset, bytes: Buffer.concat([last.bytes, bytes]) };
      else words.push({ charset, bytes });
    }
    try {
      return words.map(({ charset, bytes }) => new TextDecoder(charset, { fatal: true }).decode(bytes)).join("");
    } catch {
      return sent;
    }
  });

/** The bytes of a text, in which codes stand for bytes. */
function toCodedBytes(text: string, code: RegExp): Buffer {
  const bytes = Buffer.from(text, "utf8").toString("latin1");
  return Buffer.from(
    bytes.replace(code, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}
