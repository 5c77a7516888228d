import { Readable } from "node:stream";
import { freeChunk } from "../chunk-memory.ts";

/** A stream that somebody pushes into, at the speed at which it is read; the last piece stays here until `end`. */
export interface Feed {
  readonly stream: Readable;
  /** Copies the chunk, and waits where the reader is slower. Resolves to whether there is still a reader. */
  push(chunk: Uint8Array): Promise<boolean>;
  /** Hands over what is left. Resolves to whether there was still a reader. */
  end(): Promise<boolean>;
  /** Gives the memory back at once, rather than when the collector comes; only where the reader has come to the end. */
  free(): void;
}

export interface FeedOptions {
  /** A reader that takes nothing for so long is given up, with a TimeoutError. */
  readonly stallMs: number;
  /** Run before the first piece is handed over: from now on there must be a reader. */
  readonly onFirst: () => void;
  /** A reader that has waited for so long is given what there is, so that a slow sender does not look dead; a second by default. */
  readonly patienceMs?: number;
}

const PIECE_BYTES = 256 * 1024;
/**
 * Of pieces of this size, a socket tells when it has taken them: they are more than it lets wait in its queue. The memory of smaller ones is
 * not used again.
 */
const REUSED_BYTES = 128 * 1024;
const PATIENCE_MS = 1000;

/**
 * Chunks are gathered in one of two buffers while the reader has the other: fresh memory for each would stay until the collector comes, a hundred
 * megabytes later.
 */
export function createFeed({ stallMs, onFirst, patienceMs = PATIENCE_MS }: FeedOptions): Feed {
  let isBegun = false;
  let wake: (() => void) | undefined;
  /** Since when the reader has waited; undefined while it has the last piece. */
  let wantedAtMs: number | undefined;
  let gathering: Uint8Array<ArrayBuffer> | undefined;
  let other: Uint8Array<ArrayBuffer> | undefined;
  let filledBytes = 0;
  const stream = new Readable({
    // So it asks for a piece only when the one before has been taken.
    highWaterMark: 0,
    read() {
      wantedAtMs = performance.now();
      wake?.();
    },
    destroy(error, done) {
      wake?.();
      done(error);
    },
  });
  // Whoever reads hears of it; without a listener it would end the process.
  stream.on("error", () => {});

  async function untilWanted(): Promise<void> {
    if (wantedAtMs !== undefined || stream.destroyed) return;
    const wanted = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const timer = setTimeout(() => stream.destroy(new DOMException("The store takes no bytes", "TimeoutError")), stallMs);
    await wanted;
    clearTimeout(timer);
  }

  async function handOver(): Promise<boolean> {
    if (!isBegun) onFirst();
    isBegun = true;
    await untilWanted();
    if (stream.destroyed || !gathering) return !stream.destroyed;
    wantedAtMs = undefined;
    const piece = gathering.subarray(0, filledBytes);
    filledBytes = 0;
    if (piece.length < REUSED_BYTES) stream.push(Uint8Array.from(piece));
    else {
      [gathering, other] = [other, gathering];
      stream.push(piece);
    }
    return true;
  }

  const isAwaited = (): boolean =>
    wantedAtMs !== undefined && (filledBytes >= REUSED_BYTES || (filledBytes > 0 && performance.now() - wantedAtMs >= patienceMs));

  return {
    stream,
    async push(chunk) {
      if (isAwaited() && !(await handOver())) return false;
      for (let rest = chunk; rest.length > 0; ) {
        if (filledBytes === PIECE_BYTES && !(await handOver())) return false;
        gathering ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
        const count = Math.min(rest.length, PIECE_BYTES - filledBytes);
        gathering.set(rest.subarray(0, count), filledBytes);
        filledBytes += count;
        rest = rest.subarray(count);
      }
      return !stream.destroyed;
    },
    async end() {
      if (filledBytes > 0 && !(await handOver())) return false;
      stream.push(null);
      return !stream.destroyed;
    },
    free() {
      if (!stream.readableEnded) return;
      for (const buffer of [gathering, other]) if (buffer) freeChunk(buffer);
    },
  };
}
