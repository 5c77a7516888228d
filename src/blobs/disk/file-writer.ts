import { constants } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { AppError, systemCode } from "../../errors.ts";
import { memoryPlan } from "../../lib/system/memory-plan.ts";
import { isAligned } from "../../lib/system/uncached-write.ts";
import type { BlobStore } from "../store.ts";
import type { UploadTransfers } from "../upload-transfers.ts";
import type { Buffers, WriteBuffer } from "./buffers.ts";
import { fromDisk } from "./errors.ts";
import type { DiskLayout } from "./layout.ts";
import type { DiskSpace } from "./space.ts";

export interface StreamWriterOptions {
  readonly layout: DiskLayout;
  readonly buffers: Buffers;
  readonly transfers: UploadTransfers;
  readonly space: DiskSpace;
}

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

/** The first reservation of disk space for a body of undeclared size. Later steps double it, up to `MAX_STEP_BYTES` at a time. */
export const FIRST_RESERVATION_BYTES = 1024 * 1024;
const MAX_STEP_BYTES = 64 * 1024 * 1024;

/** Creates `BlobStore.writeAll` for a disk. A small body takes one open, one write, one sync and one close. */
export function createStreamWriter({ layout, buffers, transfers, space }: StreamWriterOptions): BlobStore["writeAll"] {
  const writing = new Set<string>();

  return async ({ key }, body) => {
    const path = layout.stagedPath(key);
    if (writing.has(key)) throw new AppError("CONFLICT", "This file is already being written. Wait for that transfer to end.");
    writing.add(key);
    try {
      return await transfers.run(key, async (transfer) => {
        // Prepares while the data is written, so that one sync of the journal covers both. `commit` repeats a failed preparation and reports its
        // error.
        const prepared = layout.prepare("visible", key).catch(() => undefined);
        let reservedBytes = space.reservedBytes(key);
        const file = createFileWriter({ path, flags: constants.O_CREAT | constants.O_TRUNC, offset: 0, sizeBytes: reservedBytes, buffers });
        let sizeBytes = 0;
        try {
          await transfer.receive(body, async (chunk) => {
            sizeBytes += chunk.length;
            if (sizeBytes > reservedBytes) {
              reservedBytes = sizeBytes + Math.min(Math.max(reservedBytes, FIRST_RESERVATION_BYTES), MAX_STEP_BYTES);
              await space.growTo(key, reservedBytes);
            }
            await file.write(chunk);
          });
          await file.sync();
          await prepared;
          transfer.check();
        } catch (error) {
          await file.close();
          await rm(path, { force: true });
          space.release(key);
          throw error;
        } finally {
          await file.close();
        }
        return { sizeBytes };
      });
    } finally {
      writing.delete(key);
    }
  };
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
