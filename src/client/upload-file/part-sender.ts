import { createHash } from "node:crypto";
import { AppError } from "../../errors.ts";
import { readError } from "../../service/client.ts";
import { TemporaryFailure } from "../../transfer/failures.ts";
import type { RemoteServer } from "../server/discover-server.ts";
import { COPIES_CHUNKS, sendRequest } from "../server/send.ts";
import { proxyRefusalOf, toServerError } from "../server/server-error.ts";
import { type FileSlice, fileChanged, type LocalFile } from "./local-file.ts";
import { type LocalPart, openStoredPart } from "./stored-part.ts";

const READ_BYTES = 1024 * 1024;
const SEND_BYTES = 256 * 1024;
/**
 * The longest time of a part that is sent by the system (sendfile), which costs less but shows no progress. After a slower part, the next one is
 * streamed.
 */
const MAX_SILENT_MS = 1000;
/** The minimum speed. A part whose bytes arrive more slowly has lost its connection. */
const TIMEOUT = { ms: 60_000, bytesPerMs: 16 } as const;

/**
 * Computes the hexadecimal SHA-256 of each slice; null for a slice behind the end of a file that has become shorter. Throws CONFLICT if the file has
 * changed.
 */
export async function hashSlices(file: LocalFile, slices: readonly FileSlice[], signal: AbortSignal): Promise<readonly (string | null)[]> {
  const buffer = new Uint8Array(READ_BYTES);
  const digests: (string | null)[] = [];
  for (const slice of slices) digests.push(await hashSlice(file, slice, { buffer, signal }));
  await file.checkUnchanged();
  return digests;
}

async function hashSlice(
  file: LocalFile,
  { start, size }: FileSlice,
  { buffer, signal }: { readonly buffer: Uint8Array; readonly signal: AbortSignal },
): Promise<string | null> {
  const hash = createHash("sha256");
  for (let done = 0; done < size; ) {
    signal.throwIfAborted();
    const read = await file.read(buffer.subarray(0, Math.min(buffer.length, size - done)), start + done);
    if (read === 0) return null;
    hash.update(buffer.subarray(0, read));
    done += read;
  }
  return hash.digest("hex");
}

interface PartSender {
  /**
   * Sends a slice to a signed URL. Rejects with the error of the server or its store, and with CONFLICT if the file has changed. `onProgress`
   * receives the number of bytes that were handed to the connection.
   */
  put(url: string, slice: FileSlice, sending: Sending): Promise<void>;
}

/** Creates a sender of parts in constant memory, whatever their size. */
export function createPartSender({ file, server }: { readonly file: LocalFile; readonly server: RemoteServer }): PartSender {
  const free: Uint8Array[] = [];
  let isFast = false;

  async function putStreamed(url: URL, slice: FileSlice, sending: Sending): Promise<void> {
    const buffers = [free.pop() ?? new Uint8Array(SEND_BYTES), free.pop() ?? new Uint8Array(SEND_BYTES)];
    const unreadable = new AbortController();
    const body = streamPart(
      { file, slice, buffers },
      { onProgress: (bytes) => sending.onProgress(bytes), onUnreadable: (error) => unreadable.abort(error) },
    );
    await putBytes(url, { size: slice.size, body, unreadable: unreadable.signal }, sending.signal);
    // The buffers are reused only after success, because a failed request may still read them.
    if (COPIES_CHUNKS) free.push(...buffers);
  }

  return {
    async put(url, slice, sending) {
      const target = server.reach(url);
      const startedMs = performance.now();
      const stored = isFast ? await openStoredPart(file, slice, target) : undefined;
      if (stored === undefined) await putStreamed(target, slice, sending);
      else {
        using part = stored;
        await putBytes(target, part, sending.signal);
        sending.onProgress(slice.size);
      }
      isFast = performance.now() - startedMs < MAX_SILENT_MS;
    },
  };
}

interface Sending {
  readonly signal: AbortSignal;
  onProgress(bytes: number): void;
}

interface StreamedPart {
  readonly file: LocalFile;
  readonly slice: FileSlice;
  readonly buffers: readonly Uint8Array[];
}

interface PartEvents {
  onProgress(bytes: number): void;
  /** Receives the error of the file, which the error of the request does not contain. */
  onUnreadable(error: unknown): void;
}

function streamPart(
  { file, slice: { start, size }, buffers }: StreamedPart,
  { onProgress, onUnreadable }: PartEvents,
): ReadableStream<Uint8Array> {
  let done = 0;
  let pulls = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const buffer = COPIES_CHUNKS ? buffers[pulls % buffers.length] : undefined;
        const chunk = (buffer ?? new Uint8Array(SEND_BYTES)).subarray(0, size - done);
        try {
          if ((await file.read(chunk, start + done)) < chunk.length) throw fileChanged();
        } catch (error) {
          onUnreadable(error);
          throw error;
        }
        pulls += 1;
        done += chunk.length;
        controller.enqueue(chunk);
        onProgress(done);
        if (done === size) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

async function putBytes(url: URL, { size, body, unreadable }: LocalPart, signal: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(TIMEOUT.ms + size / TIMEOUT.bytesPerMs);
  const init = {
    method: "PUT",
    // Stores refuse a part without its size.
    headers: { "Content-Length": String(size) },
    body,
    signal: AbortSignal.any([signal, timeout, unreadable]),
    duplex: "half",
  };
  const response = await send(url, init, signal);
  if (response.ok) {
    await response.body?.cancel();
    // Servers and stores return the entity tag of a stored part. A proxy or a hotel's network that responds in their place does not.
    if (response.headers.has("etag")) return;
    throw new AppError("UNAVAILABLE", `The response from ${url.origin} does not say that it stored the part.`);
  }
  const error = toServerError(await readError(response));
  // The URL may have expired, and the next try requests a new one. Or another process has just stored the same part.
  if (response.status === 403 || error.code === "CONFLICT")
    throw new TemporaryFailure(error.message, "", {
      cause: error,
      isOwn: error.cause === undefined,
      status: proxyRefusalOf(error)?.status,
    });
  if (error.code === "DIGEST_MISMATCH") throw fileChanged();
  throw error;
}

async function send(url: URL, init: RequestInit, signal: AbortSignal): Promise<Response> {
  try {
    return await sendRequest(url, init);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof AppError
      ? error
      : new AppError("UNAVAILABLE", `The server at ${url.origin} stopped responding.`, { cause: error });
  }
}
