import { AppError, systemCode } from "../../errors.ts";
import { freeChunk } from "../../lib/system/chunk-memory.ts";
import { FULL_DISK_CODES } from "../../lib/system/system-reasons.ts";
import { BLOCK_BYTES } from "../../lib/system/uncached-write.ts";
import { requestBytes, type SignedDownload, watchIdle } from "./signed-download.ts";

/** The number of bytes that are written together. */
const BATCH_BYTES = 1024 * 1024;
/** The time after which fewer bytes are written, so that a slow connection loses little if the process ends. */
const BATCH_MS = 500;

export interface RangeRequest {
  readonly download: SignedDownload;
  readonly start: number;
  /** Returns the end of the range, which may decrease while bytes arrive. */
  end(): number;
  /** Writes bytes in order. Each call waits for the previous one. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Receives the position up to which bytes have arrived. */
  onReceived(position: number): void;
  readonly signal: AbortSignal;
}

/**
 * Receives a range by one request, and writes its bytes also if the connection breaks. Throws UNAVAILABLE for a broken connection, CONFLICT for
 * unrequested bytes, PRECONDITION_FAILED if the file has changed, the server's error, or the error of the disk.
 */
export async function receiveRange(request: RangeRequest): Promise<void> {
  const { download, start, signal } = request;
  const watch = watchIdle(signal);
  const batch = createBatch(request);
  let isWriting = false;
  try {
    const end = request.end();
    const isWhole = start === 0 && end === download.sizeBytes;
    const response = await requestBytes(download.url, { signal: watch.signal, headers: isWhole ? {} : rangeHeaders(download, start, end) });
    if (!isWhole) await checkRange(response, download, start);
    let position = start;
    for await (const chunk of response.body ?? []) {
      watch.touch();
      const left = request.end() - position;
      if (left <= 0 && position < download.sizeBytes) break;
      if (chunk.length > left && request.end() === download.sizeBytes) throw tooLong();
      const wanted = chunk.length > left ? chunk.subarray(0, left) : chunk;
      position += wanted.length;
      request.onReceived(position);
      isWriting = true;
      await batch.add(wanted);
      isWriting = false;
      freeChunk(chunk);
    }
    if (position < request.end()) throw broken(download.url);
  } catch (error) {
    // After a failed write, the remaining bytes are not written.
    if (!isWriting) await batch.flush();
    signal.throwIfAborted();
    throw error instanceof AppError || isWriting ? error : broken(download.url, error);
  } finally {
    watch.end();
  }
  await batch.flush();
}

const rangeHeaders = ({ sizeBytes, etag }: SignedDownload, start: number, end: number): Record<string, string> => ({
  Range: `bytes=${start}-${end === sizeBytes ? "" : end - 1}`,
  ...(etag !== undefined && { "If-Match": etag }),
});

async function checkRange(response: Response, { sizeBytes }: SignedDownload, start: number): Promise<void> {
  const range = response.headers.get("content-range") ?? "";
  if (range.startsWith(`bytes ${start}-`) && range.endsWith(`/${sizeBytes}`)) return;
  await response.body?.cancel();
  throw new AppError("CONFLICT", "The server cannot continue the download. Nothing was saved: try again.", { cause: CANNOT_CONTINUE });
}

const CANNOT_CONTINUE = Symbol("The server sends no ranges.");

/** Whether the download can only succeed from its beginning: the file has changed, or its server sends no ranges. */
export const mustRestart = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "PRECONDITION_FAILED" || error.cause === CANNOT_CONTINUE);

interface Batch {
  add(chunk: Uint8Array): Promise<void>;
  /** Writes the remaining bytes; resolves when all are written. */
  flush(): Promise<void>;
}

/** Collects bytes in two reused buffers: one is written while the other is filled. Keeping the chunks instead would delay garbage collection. */
function createBatch({ start, write }: Pick<RangeRequest, "start" | "write">): Batch {
  let filling = Buffer.allocUnsafeSlow(BATCH_BYTES);
  let other = Buffer.allocUnsafeSlow(BATCH_BYTES);
  let bytes = 0;
  let position = start;
  let writing: Promise<void> = Promise.resolve();
  let writtenMs = performance.now();
  const next = async (): Promise<void> => {
    await writing;
    if (bytes === 0) return;
    writing = write(filling.subarray(0, bytes), position);
    writing.catch(() => undefined);
    writtenMs = performance.now();
    position += bytes;
    bytes = 0;
    [filling, other] = [other, filling];
  };
  // A write ends at the end of a block of the file.
  const limit = (): number => BATCH_BYTES - (position % BLOCK_BYTES);
  return {
    async add(chunk) {
      for (let from = 0; from < chunk.length; ) {
        const some = chunk.subarray(from, from + limit() - bytes);
        filling.set(some, bytes);
        bytes += some.length;
        from += some.length;
        if (bytes === limit() || performance.now() - writtenMs > BATCH_MS) await next();
      }
    },
    async flush() {
      await next();
      await writing;
    },
  };
}

const tooLong = (): AppError => new AppError("CONFLICT", "The server sends more bytes than it has announced. Nothing was saved.");

const broken = (url: URL, cause?: unknown): AppError =>
  new AppError("UNAVAILABLE", `The connection to ${url.origin} broke. Try again.`, { cause });

const FULL = FULL_DISK_CODES.union(new Set(["EFBIG"]));

/** Converts the error of a full disk to STORAGE_FULL; returns other errors. */
export const toFullDisk = (error: unknown): unknown =>
  !(error instanceof AppError) && FULL.has(systemCode(error) ?? "") ? diskFull(error) : error;

export const diskFull = (cause?: unknown): AppError =>
  new AppError("STORAGE_FULL", "The disk of this machine is full. Free some space, or save to another folder.", {
    cause,
  });
