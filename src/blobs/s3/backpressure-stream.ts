import { Readable } from "node:stream";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import { freeChunk } from "../../lib/system/chunk-memory.ts";

/** A stream to push bytes into, no faster than they are read. Holds back the last chunk until `end`. */
export interface BackpressureStream {
  readonly readable: Readable;
  /** Copies the chunk, and waits while the reader is slower. Resolves to false if the reader has closed the stream. */
  push(chunk: Uint8Array): Promise<boolean>;
  /** Sends the held-back bytes. Resolves to false if the reader had closed the stream. */
  end(): Promise<boolean>;
  /** Frees the buffers immediately rather than by garbage collection; does nothing unless the reader has reached the end. */
  free(): void;
}

export interface BackpressureStreamOptions {
  /** Time without progress of the reader after which the stream is destroyed with a TimeoutError. */
  readonly stallTimeoutMs: number;
  /** Called before the first bytes are sent. From then on there must be a reader. */
  readonly onStart: () => void;
  /** Time after which a waiting reader gets the buffered bytes, so that a slow sender does not seem to have stopped; default: one second. */
  readonly idleFlushMs?: number;
}

const BUFFER_BYTES = 256 * 1024;
/** Minimum size of a chunk whose memory is reused. A socket reports when it has taken a chunk only if the chunk exceeds its queue. */
const MIN_REUSED_BYTES = 128 * 1024;
const IDLE_FLUSH_MS = 1000;

/**
 * Creates a stream that fills one of two buffers while the reader has the other: garbage collection of new buffers would come a hundred megabytes
 * late.
 */
export function createBackpressureStream({
  stallTimeoutMs,
  onStart,
  idleFlushMs = IDLE_FLUSH_MS,
}: BackpressureStreamOptions): BackpressureStream {
  let hasStarted = false;
  let wake: (() => void) | undefined;
  /** Time since which the reader waits; undefined while it has a chunk. */
  let requestedAtMs: number | undefined;
  let filling: Uint8Array<ArrayBuffer> | undefined;
  let other: Uint8Array<ArrayBuffer> | undefined;
  let filledBytes = 0;
  const readable = new Readable({
    // The reader then requests a chunk only after it has taken the previous one.
    highWaterMark: 0,
    read() {
      requestedAtMs = performance.now();
      wake?.();
    },
    destroy(error, done) {
      wake?.();
      done(error);
    },
  });
  // The reader receives the error; without a listener it would end the process.
  readable.on("error", () => {});

  async function untilRequested(): Promise<void> {
    if (requestedAtMs !== undefined || readable.destroyed) return;
    const requested = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await withTimeout(requested, stallTimeoutMs, () => readable.destroy(new DOMException("The store takes no bytes", "TimeoutError")));
  }

  async function flush(): Promise<boolean> {
    if (!hasStarted) onStart();
    hasStarted = true;
    await untilRequested();
    if (readable.destroyed || !filling) return !readable.destroyed;
    requestedAtMs = undefined;
    const bytes = filling.subarray(0, filledBytes);
    filledBytes = 0;
    if (bytes.length < MIN_REUSED_BYTES) readable.push(Uint8Array.from(bytes));
    else {
      [filling, other] = [other, filling];
      readable.push(bytes);
    }
    return true;
  }

  const shouldFlush = (): boolean =>
    requestedAtMs !== undefined &&
    (filledBytes >= MIN_REUSED_BYTES || (filledBytes > 0 && performance.now() - requestedAtMs >= idleFlushMs));

  return {
    readable,
    async push(chunk) {
      if (shouldFlush() && !(await flush())) return false;
      for (let rest = chunk; rest.length > 0; ) {
        if (filledBytes === BUFFER_BYTES && !(await flush())) return false;
        filling ??= Buffer.allocUnsafeSlow(BUFFER_BYTES);
        const count = Math.min(rest.length, BUFFER_BYTES - filledBytes);
        filling.set(rest.subarray(0, count), filledBytes);
        filledBytes += count;
        rest = rest.subarray(count);
      }
      return !readable.destroyed;
    },
    async end() {
      if (filledBytes > 0 && !(await flush())) return false;
      readable.push(null);
      return !readable.destroyed;
    },
    free() {
      if (!readable.readableEnded) return;
      for (const buffer of [filling, other]) if (buffer) freeChunk(buffer);
    },
  };
}
