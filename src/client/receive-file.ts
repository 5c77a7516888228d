import { createHash, type Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, systemCode } from "../errors.ts";
import { createRequestRetry, withoutRetry } from "./retry.ts";
import { requestBytes, type SignedDownload, watchIdle } from "./signed-download.ts";

export interface Receiving {
  readonly signal: AbortSignal;
  /** Receives the bytes that have arrived. */
  onProgress(receivedBytes: number): void;
}

/** Before a broken connection is continued: a server may break each after a byte. */
const PAUSE_MS = 250;

interface Progress {
  receivedBytes: number;
  readonly hash: Hash;
}

/**
 * Writes the bytes of a download to an empty file. A broken connection is continued where it broke, if the file is still the same. Resolves to
 * their SHA-256. Throws FILE_DIGEST_MISMATCH if it is not the announced one, CONFLICT, the server's error, or that of the disk.
 */
export async function receiveFile(handle: FileHandle, download: SignedDownload, receiving: Receiving): Promise<string> {
  const progress: Progress = { receivedBytes: 0, hash: createHash("sha256") };
  try {
    do {
      const before = progress.receivedBytes;
      if (before > 0) await sleep(PAUSE_MS, undefined, { signal: receiving.signal });
      // A connection that brought something does not count as a failure.
      await createRequestRetry(receiving.signal)(async ({ signal }) => {
        await receiveRest(handle, download, { ...receiving, signal, progress }).catch((error: unknown) => {
          signal.throwIfAborted();
          if (progress.receivedBytes === before || !isBroken(error)) throw error;
        });
      });
    } while (progress.receivedBytes < download.sizeBytes);
  } catch (error) {
    throw withoutRetry(error);
  }
  const sha256 = progress.hash.digest("hex");
  if (download.sha256 === undefined || download.sha256 === sha256) return sha256;
  throw new AppError(
    "FILE_DIGEST_MISMATCH",
    "The bytes that arrived do not have the SHA-256 that the server names. Nothing was saved: try again.",
  );
}

const isBroken = (error: unknown): boolean => error instanceof AppError && error.code === "UNAVAILABLE";

async function receiveRest(
  handle: FileHandle,
  { url, sizeBytes, etag }: SignedDownload,
  { signal, onProgress, progress }: Receiving & { readonly progress: Progress },
): Promise<void> {
  const from = progress.receivedBytes;
  const watch = watchIdle(signal);
  const range = { Range: `bytes=${from}-`, ...(etag !== undefined && { "If-Match": etag }) };
  try {
    const response = await requestBytes(url, { signal: watch.signal, headers: from === 0 ? {} : range });
    if (from > 0 && !response.headers.get("content-range")?.startsWith(`bytes ${from}-`)) {
      await response.body?.cancel();
      throw new AppError("CONFLICT", "The connection broke, and the server cannot continue the download. Nothing was saved: try again.");
    }
    for await (const chunk of response.body ?? []) {
      watch.touch();
      if (progress.receivedBytes + chunk.length > sizeBytes)
        throw new AppError("CONFLICT", "The server sends more bytes than it has announced. Nothing was saved.");
      await handle.write(chunk, 0, chunk.length, progress.receivedBytes);
      progress.hash.update(chunk);
      progress.receivedBytes += chunk.length;
      onProgress(progress.receivedBytes);
    }
    if (progress.receivedBytes < sizeBytes) throw broken(url);
  } catch (error) {
    signal.throwIfAborted();
    // Errors of the disk have codes that those of connections have not.
    throw error instanceof AppError || isOfDisk(error) ? error : broken(url, error);
  } finally {
    watch.end();
  }
}

const broken = (url: URL, cause?: unknown): AppError =>
  new AppError("UNAVAILABLE", `The connection to ${url.origin} broke. Nothing was saved: try again.`, { cause });

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

const isOfDisk = (error: unknown): boolean => FULL.has(systemCode(error) ?? "") || systemCode(error) === "EIO";

/** STORAGE_FULL for an error of a full disk; others are returned. */
export const toDiskError = (error: unknown): unknown =>
  !(error instanceof AppError) && FULL.has(systemCode(error) ?? "") ? diskFull(error) : error;

export const diskFull = (cause?: unknown): AppError =>
  new AppError("STORAGE_FULL", "The disk of this machine is full. Nothing was saved: free some space, or save to another folder.", {
    cause,
  });
