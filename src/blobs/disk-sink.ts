import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { BLOCK_BYTES, type Buffers, type Lease } from "./disk-buffers.ts";
import { fromDisk, systemCode } from "./disk-errors.ts";

export interface SinkOptions {
  readonly path: string;
  /** Beside O_WRONLY. The file is opened with the first write, or by `finish`. */
  readonly flags: number;
  /** Where in the file the first byte goes. */
  readonly offset: number;
  readonly buffers: Buffers;
}

/** Writes bytes in order from an offset on, in few and large calls, one of them under way while the next is gathered. */
export interface Sink {
  /** Copies the chunk, and waits where the disk is slower. */
  push(chunk: Uint8Array): Promise<void>;
  /** Resolves when all bytes are on the disk itself. */
  finish(): Promise<void>;
  /** Resolves when nothing is under way any more. Never rejects; fine after `finish`. */
  close(): Promise<void>;
}

/** Where the page cache takes the bytes: how many may wait there before they are flushed, so that the last flush is short. */
const FLUSH_EVERY_BYTES = 64 * 1024 * 1024;

export function createSink({ path, flags, offset, buffers }: SinkOptions): Sink {
  let plain: FileHandle | undefined;
  /** The same file past the page cache: no copy into it and nothing left to flush. `null`: does not work here. */
  let direct: FileHandle | null | undefined;
  let gathering: Lease | undefined;
  let filledBytes = 0;
  let position = offset;
  let cachedBytes = 0;
  let writing: Promise<void> = Promise.resolve();
  let flushing: Promise<void> = Promise.resolve();

  async function openPlain(): Promise<FileHandle> {
    plain ??= await open(path, constants.O_WRONLY | flags, 0o600);
    return plain;
  }

  async function openDirect(): Promise<FileHandle | null> {
    if (direct !== undefined) return direct;
    await openPlain();
    direct = await open(path, constants.O_WRONLY | constants.O_DIRECT).catch(() => null);
    return direct;
  }

  /** How many of the bytes could be written directly: a kernel may refuse, or stop short. */
  async function writeDirect(bytes: Uint8Array, at: number): Promise<number> {
    const file = await openDirect();
    if (!file) return 0;
    try {
      return (await file.write(bytes, 0, bytes.length, at)).bytesWritten;
    } catch (error) {
      if (systemCode(error) !== "EINVAL") throw error;
      await file.close();
      direct = null;
      return 0;
    }
  }

  async function writeCached(bytes: Uint8Array, at: number): Promise<void> {
    const file = await openPlain();
    for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    cachedBytes += bytes.length;
    if (cachedBytes < FLUSH_EVERY_BYTES) return;
    await flushing;
    cachedBytes = 0;
    flushing = inBackground(file.datasync());
  }

  async function write(lease: Lease, length: number, at: number): Promise<void> {
    try {
      const bytes = lease.bytes.subarray(0, length);
      const whole = lease.aligned && length % BLOCK_BYTES === 0 && at % BLOCK_BYTES === 0 && length === lease.bytes.length;
      const done = whole ? await writeDirect(bytes, at) : 0;
      if (done < length) await writeCached(bytes.subarray(done), at + done);
    } finally {
      lease.release();
    }
  }

  async function flush(): Promise<void> {
    if (!gathering) return;
    await writing;
    writing = inBackground(write(gathering, filledBytes, position));
    gathering = undefined;
    position += filledBytes;
    filledBytes = 0;
  }

  return {
    async push(chunk) {
      for (let taken = 0; taken < chunk.length; ) {
        gathering ??= await buffers.take();
        const { bytes } = gathering;
        const count = Math.min(bytes.length - filledBytes, chunk.length - taken);
        bytes.set(count === chunk.length ? chunk : chunk.subarray(taken, taken + count), filledBytes);
        filledBytes += count;
        taken += count;
        if (filledBytes === bytes.length) await fromDisk(flush());
      }
    },
    async finish() {
      await fromDisk(flush());
      await fromDisk(writing);
      await fromDisk(flushing);
      const file = await fromDisk(openPlain());
      await fromDisk(file.datasync());
    },
    async close() {
      await Promise.allSettled([writing]);
      await Promise.allSettled([flushing]);
      gathering?.release();
      gathering = undefined;
      const open = [plain, direct];
      plain = direct = undefined;
      await Promise.allSettled(open.map(async (file) => await file?.close()));
    },
  };
}

/** Its failure is seen by whoever awaits it later, not reported as unhandled meanwhile. */
function inBackground(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}
