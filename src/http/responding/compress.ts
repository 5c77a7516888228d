import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** The encodings in which responses are sent. */
export type Encoding = "br" | "gzip";

export interface EncodedText {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Options with which Brotli is about as fast as gzip and produces fewer bytes. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
const COMPRESS: Readonly<Record<Encoding, (text: string | Uint8Array) => Promise<Uint8Array>>> = {
  br: (text) => compressBrotli(text, BROTLI_OPTIONS),
  gzip: (text) => compressGzip(text),
};

/** Compresses a text for `encodeText`, whose rule about secrets applies. With the encoding undefined, returns it unchanged. */
export async function compressText(text: string | Uint8Array<ArrayBuffer>, encoding: Encoding | undefined): Promise<EncodedText> {
  if (encoding === undefined) return { body: text, headers: { Vary: "Accept-Encoding" } };
  const bytes = new Uint8Array(await COMPRESS[encoding](text));
  return { body: bytes, headers: { Vary: "Accept-Encoding", "Content-Encoding": encoding } };
}
