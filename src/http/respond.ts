import type { HttpContext } from "./env.ts";

/** Responds with JSON that no cache stores. */
export function respondJson(c: HttpContext, value: unknown, status = 200): Response {
  const body = JSON.stringify(value);
  return new Response(body, {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headLength(c, body) },
  });
}

/** Responds with plain text. */
export const respondText = (c: HttpContext, body: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(body, { headers: { "Content-Type": "text/plain; charset=utf-8", ...headLength(c, body), ...headers } });

/** The `Content-Length` of a response to HEAD, which the runtime would send as 0. Empty for other methods: the runtime measures their bodies. */
export const headLength = (c: HttpContext, body: string | Uint8Array): Readonly<Record<string, string>> =>
  c.req.method === "HEAD" ? { "Content-Length": String(Buffer.byteLength(body)) } : {};

/** A body of at most this size is buffered, so that it has a `Content-Length`: not every runtime sends one with a stream. */
export const MAX_BUFFERED_BYTES = 4 * 1024 ** 2;

/** Reads all chunks into one buffer. Throws if they are not `sizeBytes` in all. */
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
