import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { systemCode } from "../../errors.ts";
import { isAligned } from "../../lib/system/uncached-write.ts";

/** A destination of bytes that can be read again. */
export interface ByteStore {
  /** Writes bytes, which may be overwritten once this resolves. `isReadAgain`: the bytes will be read soon. */
  write(bytes: Uint8Array, position: number, isReadAgain: boolean): Promise<void>;
  /** Reads from `position` until the buffer is full. Resolves to fewer bytes at the end of the written bytes. */
  read(buffer: Uint8Array, position: number): Promise<number>;
}

/** The smallest file that is written past the page cache. Smaller files are written sooner through it. */
const MIN_UNCACHED_BYTES = 64 * 1024 * 1024;
/** The largest write to the page cache. Larger ones take larger pages, of which a machine seldom has some free. */
const MAX_CACHED_WRITE_BYTES = 256 * 1024;

/** Makes a store of an open file; its disposal does not close the handle. A large file is written past the page cache if the system supports it. */
export function createByteStore(handle: FileHandle, sizeBytes: number): ByteStore & AsyncDisposable {
  let uncached: Promise<FileHandle | undefined> | undefined;

  /** Writes past the page cache. Resolves to the number of bytes written, because the system may refuse the write, or write only some bytes. */
  async function writeUncached(bytes: Uint8Array, position: number): Promise<number> {
    uncached ??= openUncached(handle);
    const file = await uncached;
    if (file === undefined) return 0;
    try {
      return (await file.write(bytes, 0, bytes.length, position)).bytesWritten;
    } catch (error) {
      if (systemCode(error) !== "EINVAL") throw error;
      uncached = Promise.resolve(undefined);
      await file.close();
      return 0;
    }
  }

  return {
    async write(bytes, position, isReadAgain) {
      const isUncached = sizeBytes >= MIN_UNCACHED_BYTES && !isReadAgain && isAligned(position) && isAligned(bytes.length);
      for (let done = isUncached ? await writeUncached(bytes, position) : 0; done < bytes.length; ) {
        const length = Math.min(bytes.length - done, MAX_CACHED_WRITE_BYTES);
        done += (await handle.write(bytes, done, length, position + done)).bytesWritten;
      }
    },
    read: async (buffer, position) => (await handle.read(buffer, 0, buffer.length, position)).bytesRead,
    async [Symbol.asyncDispose]() {
      await (await uncached)?.close();
    },
  };
}

/** Opens the file of `handle` for writes that bypass the page cache, independent of its current name. Undefined if the system has no such writes. */
async function openUncached(handle: FileHandle): Promise<FileHandle | undefined> {
  if (!constants.O_DIRECT) return undefined;
  return await open(`/proc/self/fd/${handle.fd}`, constants.O_WRONLY | constants.O_DIRECT).catch(() => undefined);
}
