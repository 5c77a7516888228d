import { randomBytes, randomInt } from "node:crypto";
import { hasSignedUrl } from "../../lib/secrets/signed-token.ts";
import { findEncoding } from "../reading/request-headers.ts";
import type { HttpContext } from "../routing/env.ts";
import { compressText, type EncodedText } from "./compress.ts";

/** Minimum length of compressed texts. A shorter text fits in one packet anyway. */
const MIN_LENGTH = 1024;

/**
 * Compresses a text of at least 1 KB if the client accepts it. Must not be used for a text with a secret: its length would reveal whether text that
 * an attacker chose shares characters with the secret (BREACH; pages, "Pages are compressed, secrets are not"). `end` makes what follows a
 * compressed text.
 */
function encodeText(c: HttpContext, text: string, end: () => string = () => ""): Promise<EncodedText> {
  const encoding = text.length < MIN_LENGTH ? undefined : findEncoding(c);
  return compressText(encoding === undefined ? text : text + end(), encoding);
}

/** The most characters that lengthen a compressed text. Compression takes about a quarter of a byte for each. */
const MAX_BLANKS = 400;
const BLANKS = [" ", "\t", "\n", "\r"];

/** Compresses JSON or HTML like `encodeText`. Its random length hides links in it. */
export const encodePadded = (c: HttpContext, text: string): Promise<EncodedText> => encodeText(c, text, randomBlanks);

/** Compresses JSON or HTML like `encodeText`, and like `encodePadded` if it has signed URLs, which soon expire. */
export const encodeSigned = (c: HttpContext, text: string): Promise<EncodedText> =>
  hasSignedUrl(text) ? encodePadded(c, text) : encodeText(c, text);

/** Makes a text of random length that neither JSON nor HTML shows. Its characters are random too, because equal ones would be compressed to nothing. */
const randomBlanks = (): string => Array.from(randomBytes(randomInt(MAX_BLANKS + 1)), (byte) => BLANKS[byte % BLANKS.length]).join("");

const JSON_HEADERS = { "Content-Type": "application/json", "Cache-Control": "no-store" } as const;

/** Responds with JSON that no cache stores, uncompressed. */
export function respondJson(c: HttpContext, value: unknown, status = 200): Response {
  const body = JSON.stringify(value);
  return new Response(body, { status, headers: { ...JSON_HEADERS, ...headLength(c, body) } });
}

/** Responds with JSON that has no secrets and no cache stores, compressed if the client accepts it. */
export async function respondCompressedJson(c: HttpContext, value: unknown): Promise<Response> {
  const { body, headers } = await encodeSigned(c, JSON.stringify(value));
  return new Response(body, { headers: { ...JSON_HEADERS, ...headers, ...headLength(c, body) } });
}

/** Responds with plain text, compressed if the client accepts it. */
export async function respondText(c: HttpContext, text: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const { body, headers: encodingHeaders } = await encodeText(c, text);
  return new Response(body, {
    headers: { "Content-Type": "text/plain; charset=utf-8", ...encodingHeaders, ...headLength(c, body), ...headers },
  });
}

/**
 * Returns the `Content-Length` of a response to HEAD, which the runtime would send as 0. Empty for other methods, whose bodies the runtime measures.
 */
export const headLength = (c: HttpContext, body: string | Uint8Array): Readonly<Record<string, string>> =>
  c.req.method === "HEAD" ? { "Content-Length": String(Buffer.byteLength(body)) } : {};

/** Maximum size of a body that is buffered, so that it has a `Content-Length`: not every runtime sends one with a stream. */
export const MAX_BUFFERED_BYTES = 4 * 1024 ** 2;

/** Reads all chunks into one buffer. Throws if their total size is not `sizeBytes`. */
export async function bufferStream(chunks: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes);
  let filled = 0;
  for await (const chunk of chunks) {
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled !== sizeBytes) throw new Error(`A body of ${sizeBytes} bytes ends at byte ${filled}.`);
  return bytes;
}
