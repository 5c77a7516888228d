import { constants } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { freeChunk } from "../../lib/system/chunk-memory.ts";
import { memoryPlan } from "../../lib/system/memory-plan.ts";
import { BLOCK_BYTES } from "../../lib/system/uncached-write.ts";
import { newTemporaryPath } from "./temporary-files.ts";

/** A buffer to fill and write. `release` must be called when the write has ended. */
export interface WriteBuffer {
  readonly bytes: Uint8Array;
  /** Whether the buffer may be written past the page cache, at multiples of `BLOCK_BYTES`. */
  readonly aligned: boolean;
  release(): void;
}

/**
 * Lends write buffers: a fixed number of large aligned ones, then small ones, then tiny ones, so that thousands of slow uploads need little
 * memory.
 */
export interface Buffers {
  /** Takes a buffer. `neededBytes` is the number of bytes still to be written; if it is small, the buffer has that size. */
  take(neededBytes: number): Promise<WriteBuffer>;
}

const LARGE_BYTES = 1024 * 1024;
const LARGE_COUNT = memoryPlan.diskWrites.largeBuffers;
const SMALL_BYTES = 128 * 1024;
const SMALL_COUNT = memoryPlan.diskWrites.smallBuffers;
const TINY_BYTES = 16 * 1024;

/** Creates the buffers. In `folder`, it probes whether uncached writes (O_DIRECT) work. */
export function createBuffers(folder: string): Buffers {
  let slab: Promise<Slab> | undefined;
  const free: Uint8Array[] = [];
  let lentSmall = 0;

  return {
    async take(neededBytes) {
      if (neededBytes <= SMALL_BYTES) return takeSmall(neededBytes);
      slab ??= makeSlab(folder, free);
      const { allowsUncached } = await slab;
      const bytes = free.pop();
      return bytes ? { bytes, aligned: allowsUncached, release: () => void free.push(bytes) } : takeSmall(neededBytes);
    },
  };

  function takeSmall(neededBytes: number): WriteBuffer {
    const bytes = new Uint8Array(Math.min(neededBytes, lentSmall < SMALL_COUNT ? SMALL_BYTES : TINY_BYTES));
    lentSmall += 1;
    return {
      bytes,
      aligned: false,
      release() {
        lentSmall -= 1;
        freeChunk(bytes);
      },
    };
  }
}

interface Slab {
  readonly allowsUncached: boolean;
}

/** Reserves all large buffers as one block of virtual memory; only used pages take physical memory. */
async function makeSlab(folder: string, free: Uint8Array[]): Promise<Slab> {
  const slab = new Uint8Array(LARGE_COUNT * LARGE_BYTES + BLOCK_BYTES);
  const start = await findAlignment(folder, slab);
  for (let i = LARGE_COUNT - 1; i >= 0; i--) free.push(slab.subarray((start ?? 0) + i * LARGE_BYTES, (start ?? 0) + (i + 1) * LARGE_BYTES));
  return { allowsUncached: start !== undefined };
}

/**
 * Finds the first offset in `slab` that an uncached write accepts, because JavaScript does not expose addresses; undefined if uncached writes do not
 * work.
 */
async function findAlignment(folder: string, slab: Uint8Array): Promise<number | undefined> {
  if (!constants.O_DIRECT) return undefined;
  const path = newTemporaryPath(folder);
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_DIRECT, 0o600);
    // If even this write works, the flag has no effect on this file system or in this runtime.
    if (await accepts(file, slab.subarray(1, 2))) return undefined;
    for (let start = 0; start < BLOCK_BYTES; start += 16) if (await accepts(file, slab.subarray(start, start + BLOCK_BYTES))) return start;
    return undefined;
  } catch {
    return undefined;
  } finally {
    await file?.close();
    await unlink(path).catch(() => undefined);
  }
}

async function accepts(file: FileHandle, bytes: Uint8Array): Promise<boolean> {
  try {
    return (await file.write(bytes, 0, bytes.length, 0)).bytesWritten === bytes.length;
  } catch {
    return false;
  }
}
