import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type Encoding, findEncoding } from "../reading/request-headers.ts";
import type { HttpContext } from "../routing/env.ts";

export interface EncodedText {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Shorter texts fit in one packet anyway. */
const MIN_LENGTH = 1024;
/** Compresses about as fast as gzip, to fewer bytes. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
const COMPRESS: Readonly<Record<Encoding, (text: string | Uint8Array) => Promise<Uint8Array>>> = {
  br: (text) => compressBrotli(text, BROTLI_OPTIONS),
  gzip: (text) => compressGzip(text),
};

/**
 * Compresses a text of at least 1 KB if the client accepts it. Not for a text with a secret: its length would reveal whether a text that an
 * attacker chose, such as a file name, shares characters with the secret (BREACH; pages, "Pages are compressed, secrets are not").
 */
export const encodeText = (c: HttpContext, text: string): Promise<EncodedText> =>
  compressText(text, text.length < MIN_LENGTH ? undefined : findEncoding(c));

/** Compresses a text for `encodeText`, whose rule about secrets applies; undefined: not at all. */
export async function compressText(text: string | Uint8Array<ArrayBuffer>, encoding: Encoding | undefined): Promise<EncodedText> {
  if (encoding === undefined) return { body: text, headers: { Vary: "Accept-Encoding" } };
  const bytes = new Uint8Array(await COMPRESS[encoding](text));
  return { body: bytes, headers: { Vary: "Accept-Encoding", "Content-Encoding": encoding } };
}
