import { createHash } from "node:crypto";
import { AppError } from "../errors.ts";
import { readError } from "../service/client.ts";
import { TemporaryFailure } from "../transfer/failures.ts";
import type { RemoteServer } from "./find-server.ts";
import { fileChanged, type LocalFile } from "./local-file.ts";
import { sendRequest } from "./send.ts";
import { toServerError } from "./server-error.ts";

const READ_BYTES = 1024 * 1024;
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
  /** Sends a slice to a signed URL. Rejects with the error of the server or of its store, with CONFLICT if the file has changed. */
  put(url: string, slice: FileSlice, sending: { readonly signal: AbortSignal }): Promise<void>;
}

/** Sends parts from buffers that are used again, so that memory does not grow with the file. */
export function createPartSender({ file, server }: { readonly file: LocalFile; readonly server: RemoteServer }): PartSender {
  const buffers: Uint8Array<ArrayBuffer>[] = [];
  return {
    async put(url, slice, { signal }) {
      const whole = buffers.pop();
      const buffer = whole !== undefined && whole.length >= slice.size ? whole : new Uint8Array(slice.size);
      try {
        const bytes = buffer.subarray(0, slice.size);
        if ((await file.read(bytes, slice.start)) < slice.size) throw fileChanged();
        await putBytes(server.reach(url), bytes, signal);
      } finally {
        buffers.push(buffer);
      }
    },
  };
}

async function putBytes(url: URL, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(TIMEOUT.ms + bytes.length / TIMEOUT.bytesPerMs);
  const response = await send(url, { method: "PUT", body: bytes, signal: AbortSignal.any([signal, timeout]) }, signal);
  if (response.ok) {
    await response.body?.cancel();
    return;
  }
  const error = toServerError(await readError(response));
  // The URL may have expired; the next try requests another.
  if (response.status === 403) throw new TemporaryFailure(error.message, "", { cause: error });
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
