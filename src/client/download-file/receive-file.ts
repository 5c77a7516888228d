import { createHash, type Hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../errors.ts";
import type { Span } from "../../lib/http/range.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import type { ByteStore } from "./byte-store.ts";
import { createMissingBytes, type MissingSpan } from "./missing-bytes.ts";
import { startHelpers } from "./parallel-ranges.ts";
import { receiveRange } from "./receive-range.ts";
import type { SignedDownload } from "./signed-download.ts";

export interface Receiving {
  readonly signal: AbortSignal;
  /** Receives the number of bytes that have arrived. */
  onProgress(receivedBytes: number): void;
  /** The spans that an earlier process has written, in order. */
  readonly stored?: readonly Span[];
  /** Allows several connections. `onStored` receives the stored spans before the file has a hole, and then each second. */
  readonly parallel?: { onStored(stored: readonly Span[]): Promise<void> } | undefined;
  /** Receives the reason of a wait, or an empty text when the wait ends. */
  onWait?(reason: string): void;
}

/** The pause before a broken connection is continued, because a server may break each connection after a byte. */
const PAUSE_MS = 250;
const SAVE_MS = 1000;
const READ_BYTES = 1024 * 1024;

/**
 * Writes the bytes of a download, and continues broken connections if the file has not changed. Resolves to the SHA-256. Throws FILE_DIGEST_MISMATCH
 * if it is not the announced one, CONFLICT, the server's error, or the error of the disk.
 */
export async function receiveFile(store: ByteStore, download: SignedDownload, receiving: Receiving): Promise<string> {
  const { signal, parallel, stored = [] } = receiving;
  const { sizeBytes } = download;
  const missing = createMissingBytes(sizeBytes, stored);
  const digest = createInOrderDigest(store);
  const failing = new AbortController();
  const fill = (hole: MissingSpan): Promise<void> =>
    fillHole(hole, {
      download,
      signal: AbortSignal.any([signal, failing.signal]),
      onWait: (reason) => receiving.onWait?.(reason),
      onProgress: () => receiving.onProgress(sizeBytes - missing.bytes),
      async write(bytes, position) {
        const isNext = digest.isNext(position);
        const written = store.write(bytes, position, !isNext);
        // The digest runs while the bytes are written. A failed write ends the download, so its digest does not matter.
        if (isNext) digest.add(bytes);
        await written;
      },
    });
  if (sizeBytes > missing.bytes) receiving.onProgress(sizeBytes - missing.bytes);
  const first = missing.stored()[0];
  if (first?.start === 0) await digest.readTo(first.end, signal);
  let hasHoles = false;
  const save = async (): Promise<void> => await parallel?.onStored(missing.stored());
  // Until the file has a hole, its length shows which bytes have arrived.
  const timer = parallel && setInterval(() => void (hasHoles && save().catch(() => undefined)), SAVE_MS);
  const beforeFirst = (): Promise<void> => {
    hasHoles = true;
    return save();
  };
  try {
    await using helpers = parallel && startHelpers({ missing, fill, beforeFirst });
    while (missing.bytes > 0 || sizeBytes === 0) {
      const hole = missing.takeFirst() ?? (sizeBytes === 0 ? { start: 0, end: 0 } : undefined);
      if (hole) await fill(hole).catch(endAll);
      else await helpers?.whenDone();
      if (hole) missing.release(hole);
      if (sizeBytes === 0) break;
    }
  } catch (error) {
    throw withoutRetry(error);
  } finally {
    clearInterval(timer);
  }
  await digest.readTo(sizeBytes, signal);
  const sha256 = digest.hex();
  if (download.sha256 === undefined || download.sha256 === sha256) return sha256;
  throw new AppError(
    "FILE_DIGEST_MISMATCH",
    "The bytes that arrived do not have the SHA-256 that the server names. Nothing was saved: try again.",
  );

  function endAll(error: unknown): never {
    failing.abort(error);
    throw error;
  }
}

interface Filling {
  readonly download: SignedDownload;
  readonly signal: AbortSignal;
  write(bytes: Uint8Array, position: number): Promise<void>;
  onProgress(): void;
  onWait(reason: string): void;
}

/** Receives the bytes of a hole, whose start moves with them. A connection that received bytes does not count as a failure. */
async function fillHole(hole: MissingSpan, { download, signal, write, onProgress, onWait }: Filling): Promise<void> {
  for (let isFirst = true; isFirst || hole.start < hole.end; isFirst = false) {
    const before = hole.start;
    if (!isFirst) await sleep(PAUSE_MS, undefined, { signal });
    await createRequestRetry(
      signal,
      onWait,
    )(async ({ signal, onAlive }) => {
      const range = {
        download,
        signal,
        start: hole.start,
        end: () => hole.end,
        async write(bytes: Uint8Array, position: number) {
          await write(bytes, position);
          hole.start = Math.max(hole.start, position + bytes.length);
          onProgress();
        },
        onReceived: () => onAlive(),
      };
      await receiveRange(range).catch((error: unknown) => {
        signal.throwIfAborted();
        if (hole.start === before || !isBroken(error)) throw error;
      });
    });
  }
}

const isBroken = (error: unknown): boolean => error instanceof AppError && error.code === "UNAVAILABLE";

/** Creates a SHA-256 of bytes that mostly are written in order. Bytes that were not are read again. */
function createInOrderDigest(store: ByteStore) {
  const hash: Hash = createHash("sha256");
  let position = 0;
  return {
    isNext: (at: number): boolean => at === position,
    add(bytes: Uint8Array): void {
      hash.update(bytes);
      position += bytes.length;
    },
    async readTo(end: number, signal: AbortSignal): Promise<void> {
      const buffer = new Uint8Array(Math.min(READ_BYTES, Math.max(0, end - position)));
      while (position < end) {
        signal.throwIfAborted();
        const bytesRead = await store.read(buffer.subarray(0, Math.min(buffer.length, end - position)), position);
        if (bytesRead === 0) throw new AppError("CONFLICT", "The file changed while it was downloaded. Nothing was saved: try again.");
        hash.update(buffer.subarray(0, bytesRead));
        position += bytesRead;
      }
    },
    hex: () => hash.digest("hex"),
  };
}
