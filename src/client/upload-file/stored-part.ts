import { openAsBlob } from "node:fs";
import { SENDS_FILES } from "../server/send.ts";
import { type FileSlice, fileChanged, handleOf, type LocalFile } from "./local-file.ts";

/** The bytes of a part. */
export interface LocalPart {
  readonly size: number;
  readonly body: Blob | ReadableStream<Uint8Array>;
  /** Aborted when the file cannot be read, with the error. */
  readonly unreadable: AbortSignal;
}

const CHECK_MS = 1000;

/**
 * A slice of a file that the system itself sends (sendfile): neither read nor copied by this process. Undefined for bytes that are not those of the disk,
 * and for connections that encrypt them, for which they would be read into the memory. Dispose of it when it is sent.
 */
export async function openStoredPart(file: LocalFile, { start, size }: FileSlice, url: URL): Promise<(LocalPart & Disposable) | undefined> {
  const handle = handleOf(file);
  if (!SENDS_FILES || handle === undefined || url.protocol !== "http:") return undefined;
  // Opens the file of the handle, whatever has its name by now.
  const whole = await openAsBlob(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (whole === undefined) return undefined;
  const unreadable = new AbortController();
  const check = async (): Promise<void> => {
    if ((await handle.stat()).size < start + size) unreadable.abort(fileChanged());
  };
  // The request would wait for bytes that a shorter file does not have any more.
  const timer = setInterval(() => void check().catch((error: unknown) => unreadable.abort(error)), CHECK_MS);
  return {
    size,
    body: whole.slice(start, start + size),
    unreadable: unreadable.signal,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
