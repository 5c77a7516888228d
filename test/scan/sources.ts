import { type ClamdScannerOptions, createClamdScanner } from "../../src/scan/clamd/clamd-scanner.ts";
import type { StoredWindowSize } from "../../src/scan/clamd/window-size.ts";
import type { Scanner, ScanSource } from "../../src/scan/scanner.ts";

export const KB = 1024;
export const MB = 1024 * KB;

const CHUNK_BYTES = 64 * KB;

/** A source that records how it was read. */
export interface WatchedSource extends ScanSource {
  /** Bytes passed to the reader of the body. */
  readonly passedBytes: number;
  readonly finished: boolean;
  readonly reopened: readonly { readonly start: number; readonly end: number }[];
  /** Bytes passed when the reader first paused for `STALL_MS`. */
  readonly stalledAt: number | undefined;
}

const STALL_MS = 250;

/**
 * Makes random bytes, with `planted` at its offset. No two blocks of 64 KB are equal, also across sources, since clamd caches what it found
 * clean. The body's chunks share one buffer.
 */
export function makeSource(sizeBytes: number, planted?: { at: number; bytes: Uint8Array }): WatchedSource {
  const content: Content = { nonce: crypto.getRandomValues(new Uint8Array(8)), planted };
  const state = { passedBytes: 0, finished: false, stalledAt: undefined as number | undefined };
  const reopened: { start: number; end: number }[] = [];
  async function* body() {
    const shared = new Uint8Array(CHUNK_BYTES);
    for (let start = 0; start < sizeBytes; start += CHUNK_BYTES) {
      const length = fill(shared, start, Math.min(start + CHUNK_BYTES, sizeBytes), content);
      state.passedBytes += length;
      const givenAt = Date.now();
      yield shared.subarray(0, length);
      if (state.stalledAt === undefined && Date.now() - givenAt >= STALL_MS) state.stalledAt = state.passedBytes;
    }
    state.finished = true;
  }
  async function* range(start: number, end: number) {
    reopened.push({ start, end });
    for (let at = start; at < end; at += CHUNK_BYTES) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      yield chunk.subarray(0, fill(chunk, at, Math.min(at + CHUNK_BYTES, end), content));
    }
  }
  return {
    body: body(),
    reopen: range,
    reopened,
    get passedBytes() {
      return state.passedBytes;
    },
    get finished() {
      return state.finished;
    },
    get stalledAt() {
      return state.stalledAt;
    },
  };
}

/** The given bytes as a source. */
export function sourceOf(bytes: Uint8Array): WatchedSource {
  return makeSource(bytes.length, { at: 0, bytes });
}

/** A scanner with long timeouts and a window size stored in memory. */
export function makeScanner(options: Partial<ClamdScannerOptions> & Pick<ClamdScannerOptions, "address">): Scanner {
  return createClamdScanner({ storedSize: makeLimits(), connectTimeoutMs: 5_000, idleTimeoutMs: 30_000, ...options });
}

export function makeLimits(windowBytes?: number): StoredWindowSize & { readonly saved: number | undefined } {
  let saved = windowBytes;
  return {
    get saved() {
      return saved;
    },
    load: async () => saved,
    save: async (bytes) => {
      saved = bytes;
    },
  };
}

interface Content {
  /** Unique bytes per source. */
  readonly nonce: Uint8Array;
  readonly planted: { readonly at: number; readonly bytes: Uint8Array } | undefined;
}

const noise = crypto.getRandomValues(new Uint8Array(CHUNK_BYTES));

/** Writes bytes `start` to `end` of `content` into `target`; returns how many. */
function fill(target: Uint8Array, start: number, end: number, { nonce, planted }: Content): number {
  const block = noise.slice();
  block.set(nonce);
  for (let at = start; at < end; ) {
    const inBlock = at % CHUNK_BYTES;
    new DataView(block.buffer).setFloat64(nonce.length, at - inBlock);
    const part = block.subarray(inBlock, inBlock + end - at);
    target.set(part, at - start);
    at += part.length;
  }
  if (!planted) return end - start;
  const from = Math.max(start, planted.at);
  const to = Math.min(end, planted.at + planted.bytes.length);
  if (from < to) target.set(planted.bytes.subarray(from - planted.at, to - planted.at), from - start);
  return end - start;
}
