import { crc32 } from "node:zlib";
import { type Candidate, decodeUtf8, decodeUtf8Name, findNameDecoder, WESTERN } from "../text/text-encoding.ts";

/** The name of an entry as it is stored. */
export interface StoredName {
  readonly bytes: Buffer;
  /** Whether the entry declares that it is UTF-8. */
  readonly isUtf8: boolean;
  /** The entry's extra fields. */
  readonly extra: Buffer;
}

const UNICODE_PATH = { id: 0x7075, version: 1, headBytes: 5 } as const;

/** The characters of the bytes from 0x80. */
const CODE_PAGES = {
  cp437:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  cp850:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
} as const;

const decodePage = (page: keyof typeof CODE_PAGES, bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(/[\u0080-\u00ff]/g, (character) => CODE_PAGES[page].charAt(character.charCodeAt(0) - 0x80));

const DOS: readonly Candidate[] = (["cp437", "cp850"] as const).map((page) => ({
  encoding: page,
  languages: WESTERN,
  decode: (bytes) => decodePage(page, bytes),
}));

/**
 * Decodes the names of a ZIP's entries: as UTF-8 where an entry declares it or has a field with its name (Info-ZIP's Unicode Path), the others
 * together, because a program encodes all of an archive in the same way: UTF-8 if all of them are, otherwise the encoding in which they are most
 * plausible, otherwise the format's own, code page 437.
 */
export function decodeZipNames(names: readonly StoredName[]): readonly string[] {
  const declared = names.map(({ bytes, isUtf8, extra }) => (isUtf8 ? decodeUtf8(bytes) : findUnicodePath(bytes, extra)));
  const others = Buffer.concat(names.flatMap(({ bytes }, index) => (declared[index] === undefined ? [bytes, Buffer.from("\n")] : [])));
  const isUtf8 = decodeUtf8Name(others) !== undefined;
  const decode = (isUtf8 ? decodeUtf8 : findNameDecoder(others, DOS)) ?? ((bytes) => decodePage("cp437", bytes));
  return names.map(({ bytes }, index) => declared[index] ?? decode(bytes) ?? "");
}

/** The name in the entry's Unicode Path field, which must be that of the entry's other name. */
function findUnicodePath(name: Buffer, extra: Buffer): string | undefined {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    if (extra.readUInt16LE(at) !== UNICODE_PATH.id || field.length < UNICODE_PATH.headBytes) continue;
    if (field[0] === UNICODE_PATH.version && field.readUInt32LE(1) === crc32(name))
      return decodeUtf8(field.subarray(UNICODE_PATH.headBytes));
  }
  return undefined;
}
