import { openAsBlob } from "node:fs";
import { SENDS_FILES } from "../server/send.ts";
import { type FileSlice, fileChanged, handleOf, type LocalFile } from "./local-file.ts";

/** The bytes of a part. */
export interface LocalPart {
  readonly size: number;
  readonly body: Blob | ReadableStream<Uint8Array>;
  /** Aborts with the error when the file cannot be read. */
  readonly unreadable: AbortSignal;
}

const CHECK_MS = 1000;

/**
 * Opens a slice of a file that the system sends (sendfile), without copies in this process. Undefined for transformed bytes, and for encrypted
 * connections, which would read them into memory. Must be disposed of after the request.
 */
export async function openStoredPart(file: LocalFile, { start, size }: FileSlice, url: URL): Promise<(LocalPart & Disposable) | undefined> {
  const handle = handleOf(file);
  if (!SENDS_FILES || handle === undefined || url.protocol !== "http:") return undefined;
  // The path opens the file of the handle, independent of its current name.
  const whole = await openAsBlob(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (whole === undefined) return undefined;
  const unreadable = new AbortController();
  const check = async (): Promise<void> => {
    if ((await handle.stat()).size < start + size) unreadable.abort(fileChanged());
  };
  // The request would wait for the missing bytes of a file that has become shorter.
  const timer = setInterval(() => void check().catch((error: unknown) => unreadable.abort(error)), CHECK_MS);
  return {
    size,
    body: whole.slice(start, start + size),
    unreadable: unreadable.signal,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
