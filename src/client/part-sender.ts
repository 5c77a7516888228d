import { createHash } from "node:crypto";
import { AppError } from "../errors.ts";
import { readError } from "../service/client.ts";
import { TemporaryFailure } from "../transfer/failures.ts";
import type { RemoteServer } from "./find-server.ts";
import { fileChanged, type LocalFile } from "./local-file.ts";
import { COPIES_CHUNKS, sendRequest } from "./send.ts";
import { toServerError } from "./server-error.ts";

const READ_BYTES = 1024 * 1024;
const SEND_BYTES = 256 * 1024;
/** A part whose bytes arrive more slowly has lost its connection. */
const TIMEOUT = { ms: 60_000, bytesPerMs: 16 } as const;

export interface FileSlice {
  readonly start: number;
  readonly size: number;
}

/** SHA-256 of each slice, hexadecimal; null for one behind the end of a file that has become shorter. Throws CONFLICT if the file has changed. */
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
   * Sends a slice to a signed URL while it is read. Rejects with the error of the server or of its store, with CONFLICT if the file has changed.
   * `onProgress` receives the bytes that were handed to the connection.
   */
  put(url: string, slice: FileSlice, sending: { readonly signal: AbortSignal; onProgress(bytes: number): void }): Promise<void>;
}

/** Sends parts in constant memory, whatever their size. */
export function createPartSender({ file, server }: { readonly file: LocalFile; readonly server: RemoteServer }): PartSender {
  const free: Uint8Array[] = [];
  return {
    async put(url, slice, sending) {
      const buffers = [free.pop() ?? new Uint8Array(SEND_BYTES), free.pop() ?? new Uint8Array(SEND_BYTES)];
      await putBytes(server.reach(url), { file, slice, buffers }, sending);
      // Those of a request that failed may still be read.
      if (COPIES_CHUNKS) free.push(...buffers);
    },
  };
}

interface Part {
  readonly file: LocalFile;
  readonly slice: FileSlice;
  readonly buffers: readonly Uint8Array[];
}

interface PartEvents {
  onProgress(bytes: number): void;
  /** Receives the error of the file, which that of the request does not name. */
  onUnreadable(error: unknown): void;
}

function streamPart({ file, slice: { start, size }, buffers }: Part, { onProgress, onUnreadable }: PartEvents): ReadableStream<Uint8Array> {
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

async function putBytes(
  url: URL,
  part: Part,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(bytes: number): void },
): Promise<void> {
  let unreadable: { readonly error: unknown } | undefined;
  const timeout = AbortSignal.timeout(TIMEOUT.ms + part.slice.size / TIMEOUT.bytesPerMs);
  const init = {
    method: "PUT",
    // Stores refuse a part without its size.
    headers: { "Content-Length": String(part.slice.size) },
    body: streamPart(part, {
      onProgress,
      onUnreadable: (error) => {
        unreadable = { error };
      },
    }),
    signal: AbortSignal.any([signal, timeout]),
    duplex: "half",
  };
  const response = await send(url, init, signal).catch((error: unknown) => Promise.reject(unreadable ? unreadable.error : error));
  if (response.ok) {
    await response.body?.cancel();
    // Servers and stores name what they have stored. A proxy or a hotel's network that responds in their place does not.
    if (response.headers.has("etag")) return;
    throw new AppError("UNAVAILABLE", `The response from ${url.origin} does not say that it stored the part.`);
  }
  const error = toServerError(await readError(response));
  // The URL may have expired, and the next try requests another; or another process has just stored the same part.
  if (response.status === 403 || error.code === "CONFLICT") throw new TemporaryFailure(error.message, "", { cause: error });
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
