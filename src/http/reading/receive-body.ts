import { setImmediate } from "node:timers/promises";
import { freeChunk } from "../../lib/system/chunk-memory.ts";
import type { HttpContext, HttpEnv } from "../routing/env.ts";
import { checkWholeBody, verifyDigests } from "./body-digests.ts";
import type { BodyPace } from "./body-watch.ts";

/** A request whose body has not been read, such as an `HttpContext`. */
export interface IncomingBody {
  readonly req: { readonly raw: Request };
  readonly env: Pick<HttpEnv["Bindings"], "peer" | "bodyWatch">;
}

/** Larger than any limit, and small enough that sums with it are exact. */
const MOST_BYTES = 10 ** 15 - 1;

/** Returns the size of the body in bytes, from `Content-Length`, at most MOST_BYTES; undefined if the client did not send it. */
export function declaredBytes(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header !== null && /^\d+$/.test(header) ? Math.min(Number(header), MOST_BYTES) : undefined;
}

/** Yields the body as `receiveBody` does. A chunk's memory is freed when the next chunk is requested, so the reader must not retain chunks. */
export function streamRequestBody(c: HttpContext): AsyncGenerator<Uint8Array> {
  // The body may wait for a slot, and Bun would close the connection meanwhile.
  c.env.peer.setIdleTimeout(0);
  return streamChunks(c);
}

async function* streamChunks(c: HttpContext): AsyncGenerator<Uint8Array> {
  for await (const chunk of receiveBody(c)) {
    yield chunk;
    freeChunk(chunk);
  }
}

/**
 * Yields the chunks of a request's body; routes read bodies only with it. `pace` defaults to the pace of streamed bodies. Throws ClientGone if the
 * client disconnects, REQUEST_TIMEOUT if it is too slow, and as `checkWholeBody` and `verifyDigests` do. Ends only while the client still waits, so
 * that nothing is stored for a client that cannot get a response.
 */
export async function* receiveBody(source: IncomingBody, pace?: BodyPace): AsyncGenerator<Uint8Array> {
  checkWholeBody(source.req.raw);
  yield* verifyDigests(source.req.raw, receiveChunks(source, pace));
}

async function* receiveChunks({ req, env: { peer, bodyWatch } }: IncomingBody, pace: BodyPace | undefined): AsyncGenerator<Uint8Array> {
  const chunks = toChunks(req.raw, pace);
  if (chunks) {
    // Until the response sets the idle timeout again, the body watch closes silent connections.
    peer.setIdleTimeout(0);
    const reading = bodyWatch.start(pace);
    try {
      for (let next = await reading.next(readChunk(chunks)); !next.done; next = await reading.next(readChunk(chunks))) yield next.value;
    } finally {
      reading.stop();
      // Does not await the return, which after a timeout would wait for the chunk that did not arrive.
      chunks.return?.().catch(() => undefined);
    }
  }
  // Bun closes a connection whose next request arrives before the response to this one. A request in the same packet is detected at this point.
  await setImmediate();
  if (peer.isGone()) throw new ClientGone("The client closed its connection, or sent another request before this one got its response.");
}

/**
 * Returns the chunks of a body; undefined if it has none. A body that must arrive within one window of its pace is read in one piece, because a
 * stream takes four times as long.
 */
function toChunks(request: Request, pace: BodyPace | undefined): AsyncIterator<Uint8Array, undefined> | undefined {
  const sizeBytes = declaredBytes(request);
  if (sizeBytes && pace && pace.windowMs <= pace.stallMs && sizeBytes <= pace.windowBytes()) return readInOnePiece(request);
  return request.body?.[Symbol.asyncIterator]();
}

async function* readInOnePiece(request: Request): AsyncGenerator<Uint8Array, undefined> {
  yield new Uint8Array(await request.arrayBuffer());
}

/** Reads a chunk. An error means that the client has disconnected. */
async function readChunk(chunks: AsyncIterator<Uint8Array, undefined>): Promise<IteratorResult<Uint8Array, undefined>> {
  try {
    return await chunks.next();
  } catch (error) {
    throw new ClientGone("The client closed its connection while its request was read.", { cause: error });
  }
}

/** The error for a client that disconnected before its request was complete and anything was stored. */
class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Returns whether an error, or one of its causes, means that the client closed its connection. */
export function isClientGone(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof ClientGone) return true;
  return false;
}
