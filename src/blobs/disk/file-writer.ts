import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { systemCode } from "../../errors.ts";
import { memoryPlan } from "../../lib/system/memory-plan.ts";
import { isAligned } from "../../lib/system/uncached-write.ts";
import type { Buffers, WriteBuffer } from "./buffers.ts";
import { fromDisk } from "./errors.ts";

export interface FileWriterOptions {
  readonly path: string;
  /** Flags in addition to O_WRONLY. The first write, or `sync`, opens the file. */
  readonly flags: number;
  /** The offset in the file of the first byte. */
  readonly offset: number;
  /** The expected number of bytes. There may be more. */
  readonly sizeBytes: number;
  readonly buffers: Buffers;
}

/** Writes bytes to a file in order, with few large system calls; the next buffer is filled while one is written. */
export interface FileWriter {
  /** Copies the chunk, and waits while the disk is slower. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when all bytes are durable. */
  sync(): Promise<void>;
  /** Closes the file when no write is running. Never rejects; may be called more than once. */
  close(): Promise<void>;
}

/**
 * Maximum number of bytes in the page cache before they are synced, so that the last sync is short and the kernel can drop them if memory is needed.
 */
const SYNC_INTERVAL_BYTES = memoryPlan.diskWrites.unsyncedBytes;

export function createFileWriter({ path, flags, offset, sizeBytes, buffers }: FileWriterOptions): FileWriter {
  let plain: FileHandle | undefined;
  /** The file at `path`, opened with O_DIRECT to bypass the page cache; null if the file system does not support that. */
  let uncached: FileHandle | null | undefined;
  let buffer: WriteBuffer | undefined;
  let filledBytes = 0;
  let position = offset;
  let cachedBytes = 0;
  let writing: Promise<void> = Promise.resolve();
  let syncing: Promise<void> = Promise.resolve();

  function expectedBytes(): number {
    const bytes = offset + sizeBytes - position;
    return bytes > 0 ? bytes : Number.POSITIVE_INFINITY;
  }

  async function openPlain(): Promise<FileHandle> {
    plain ??= await open(path, constants.O_WRONLY | flags, 0o600);
    return plain;
  }

  async function openUncached(): Promise<FileHandle | null> {
    if (uncached !== undefined) return uncached;
    await openPlain();
    uncached = await open(path, constants.O_WRONLY | constants.O_DIRECT).catch(() => null);
    return uncached;
  }

  /** Writes uncached. Resolves to the number of bytes written: the kernel may refuse an uncached write or write only some bytes. */
  async function writeUncached(bytes: Uint8Array, at: number): Promise<number> {
    const file = await openUncached();
    if (!file) return 0;
    try {
      return (await file.write(bytes, 0, bytes.length, at)).bytesWritten;
    } catch (error) {
      if (systemCode(error) !== "EINVAL") throw error;
      await file.close();
      uncached = null;
      return 0;
    }
  }

  async function writeCached(bytes: Uint8Array, at: number): Promise<void> {
    const file = await openPlain();
    for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    cachedBytes += bytes.length;
    if (cachedBytes < SYNC_INTERVAL_BYTES) return;
    await syncing;
    cachedBytes = 0;
    syncing = inBackground(file.datasync());
  }

  async function writeBuffer(filled: WriteBuffer, length: number, at: number): Promise<void> {
    try {
      const bytes = filled.bytes.subarray(0, length);
      const isUncached = filled.aligned && isAligned(length) && isAligned(at) && length === filled.bytes.length;
      const done = isUncached ? await writeUncached(bytes, at) : 0;
      if (done < length) await writeCached(bytes.subarray(done), at + done);
    } finally {
      filled.release();
    }
  }

  async function startWrite(): Promise<void> {
    if (!buffer) return;
    await writing;
    writing = inBackground(writeBuffer(buffer, filledBytes, position));
    buffer = undefined;
    position += filledBytes;
    filledBytes = 0;
  }

  return {
    async write(chunk) {
      for (let copied = 0; copied < chunk.length; ) {
        buffer ??= await buffers.take(expectedBytes());
        const { bytes } = buffer;
        const count = Math.min(bytes.length - filledBytes, chunk.length - copied);
        bytes.set(count === chunk.length ? chunk : chunk.subarray(copied, copied + count), filledBytes);
        filledBytes += count;
        copied += count;
        if (filledBytes === bytes.length) await fromDisk(startWrite());
      }
    },
    async sync() {
      await fromDisk(startWrite());
      await fromDisk(writing);
      await fromDisk(syncing);
      const file = await fromDisk(openPlain());
      await fromDisk(file.datasync());
    },
    async close() {
      await Promise.allSettled([writing]);
      await Promise.allSettled([syncing]);
      buffer?.release();
      buffer = undefined;
      const open = [plain, uncached];
      plain = uncached = undefined;
      await Promise.allSettled(open.map(async (file) => await file?.close()));
    },
  };
}

/** Marks a rejection as handled, because the promise is awaited later. */
function inBackground(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}
