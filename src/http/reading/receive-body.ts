import { setImmediate } from "node:timers/promises";
import type { AppError } from "../../errors.ts";
import { freeChunk } from "../../lib/chunk-memory.ts";
import { formatSize } from "../../lib/format-size.ts";
import { HttpError } from "../responding/http-error.ts";
import type { HttpContext, HttpEnv } from "../routing/env.ts";
import { checkWholeBody, verifyDigests } from "./body-digests.ts";

/** A request whose body has not been read. Every `HttpContext` is one. */
export interface IncomingBody {
  readonly req: { readonly raw: Request };
  readonly env: Pick<HttpEnv["Bindings"], "peer" | "bodyWatch">;
}

/** The size of the body in bytes, from `Content-Length`; undefined if the client did not send it. */
export function declaredBytes(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

/** Yields the body as `receiveBody` does. A chunk's memory is freed when the next chunk is requested, so the reader must not retain chunks. */
export function streamRequestBody(c: HttpContext): AsyncGenerator<Uint8Array> {
  // The body may wait for its turn. Bun would close the connection meanwhile.
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
 * Yields the chunks of a request's body, the only way in which a route reads one; `pace` defaults to that of streamed bodies. Throws ClientGone if
 * the client disconnects, REQUEST_TIMEOUT if it is too slow, and as `checkWholeBody` and `verifyDigests` do. Ends only while the client still waits for the response, so that nothing is stored for a client that
 * cannot get a response.
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
      // Not awaited: after a timeout, it would wait for the chunk that did not arrive.
      chunks.return?.().catch(() => undefined);
    }
  }
  // Bun closes a connection whose next request arrives before the response to this one. A request in the same packet is detected here.
  await setImmediate();
  if (peer.isGone()) throw new ClientGone("The client closed its connection, or sent another request before this one got its response.");
}

/** The chunks of a body; undefined if it has none. A body that is too slow unless all of it arrives in one window is read in one piece: a stream takes four times as long. */
function toChunks(request: Request, pace: BodyPace | undefined): AsyncIterator<Uint8Array, undefined> | undefined {
  const sizeBytes = declaredBytes(request);
  if (sizeBytes && pace && pace.windowMs <= pace.stallMs && sizeBytes <= pace.windowBytes()) return readInOnePiece(request);
  return request.body?.[Symbol.asyncIterator]();
}

async function* readInOnePiece(request: Request): AsyncGenerator<Uint8Array, undefined> {
  yield new Uint8Array(await request.arrayBuffer());
}

/** A body breaks off only if the client disconnects. */
async function readChunk(chunks: AsyncIterator<Uint8Array, undefined>): Promise<IteratorResult<Uint8Array, undefined>> {
  try {
    return await chunks.next();
  } catch (error) {
    throw new ClientGone("The client closed its connection while its request was read.", { cause: error });
  }
}

/** The client disconnected before its request was complete or anything of it was stored. */
class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Whether an error, or one of its causes, says that the client closed its connection. */
export function isClientGone(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof ClientGone) return true;
  return false;
}

/** The slowest pace at which a client may send a body (connections, "Slow uploads"). */
export interface BodyPace {
  /** The longest time without a byte. */
  readonly stallMs: number;
  /** At least `windowBytes` must arrive in each window of this length. */
  readonly windowMs: number;
  /** Called at the end of each window, because the minimum depends on the server's load. */
  readonly windowBytes: () => number;
}

/** The pace of a body that is streamed to the store and occupies only its connection. */
const STREAMED: BodyPace = { stallMs: 120_000, windowMs: 300_000, windowBytes: () => 300 * 1024 };
const TICK_MS = 1_000;

/** One body that is being read. */
export interface BodyReading {
  /** Passes on the next chunk. Rejects with REQUEST_TIMEOUT if the client is too slow. */
  next(chunk: Promise<IteratorResult<Uint8Array, undefined>>): Promise<IteratorResult<Uint8Array, undefined>>;
  stop(): void;
}

/** Enforces the pace of all bodies that the process reads. */
export interface BodyWatch {
  start(pace?: BodyPace): BodyReading;
}

export interface BodyWatchOptions {
  /** The default pace. */
  readonly streamed?: BodyPace;
  /** The time that one tick counts as. */
  readonly tickMs?: number;
  /** The interval between ticks; tests make it shorter than `tickMs`. */
  readonly everyMs?: number;
}

/**
 * Creates a watch with one timer for all bodies. It counts ticks instead of elapsed time, so that a busy server times out no client, and
 * counts only ticks in which the server waits for bytes, so that a slow store does not time out a client.
 */
export function createBodyWatch({ streamed = STREAMED, tickMs = TICK_MS, everyMs = tickMs }: BodyWatchOptions = {}): BodyWatch {
  const readings = new Set<Reading>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const check = (): void => {
    for (const reading of readings) reading.check(tickMs);
    if (readings.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    start(pace = streamed) {
      const reading = new Reading(pace, (reading) => readings.delete(reading));
      readings.add(reading);
      timer ??= setInterval(check, everyMs).unref();
      return reading;
    },
  };
}

class Reading implements BodyReading {
  #fail: ((error: AppError) => void) | undefined;
  #windowBytes = 0;
  #windowMs = 0;
  #silentMs = 0;

  constructor(
    private readonly pace: BodyPace,
    private readonly onStop: (reading: Reading) => void,
  ) {}

  next(chunk: Promise<IteratorResult<Uint8Array, undefined>>): Promise<IteratorResult<Uint8Array, undefined>> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      chunk.then((next) => {
        this.#fail = undefined;
        this.#silentMs = 0;
        this.#windowBytes += next.value?.length ?? 0;
        resolve(next);
      }, reject);
    });
  }

  check(tickMs: number): void {
    if (!this.#fail) return;
    const { stallMs, windowMs } = this.pace;
    this.#silentMs += tickMs;
    this.#windowMs += tickMs;
    if (this.#silentMs >= stallMs) this.#fail(requestTimeout(`No byte of this request arrived for ${stallMs / 1000} seconds.`));
    if (this.#windowMs < windowMs) return;
    const windowBytes = this.pace.windowBytes();
    if (this.#windowBytes < windowBytes)
      this.#fail(
        requestTimeout(
          `This request is too slow: ${formatSize(this.#windowBytes)} in ${windowMs / 1000} seconds, but at least ${formatSize(windowBytes)} are required.`,
        ),
      );
    this.#windowMs = 0;
    this.#windowBytes = 0;
  }

  stop(): void {
    this.onStop(this);
  }
}

/** Closes the connection, because the rest of the body is not read. */
const requestTimeout = (found: string): HttpError =>
  new HttpError("REQUEST_TIMEOUT", `${found} Send it again, in smaller parts if your connection is slow.`, {
    headers: { Connection: "close" },
  });
