import { formatSize } from "../text/format-size.ts";
import { type MemoryLimit, readMemoryLimit } from "./memory-limit.ts";

const MiB = 1024 ** 2;

/** Minimum memory of a small server (request limits, "Memory of the server"). */
const LEAST_MEMORY_BYTES = 192 * MiB;

/** Memory that the process needs before it receives anything: its own memory, and the used pages of the executable. */
const BASE_BYTES = 100 * MiB;
/** Memory from which on buffers have their full sizes. */
const FULL_BYTES = 1024 * MiB;
/**
 * Memory of the runtime per transfer: 2.8 MB for each body that is read, and 1.2 MB for each of the five that may wait meanwhile, because the runtime
 * has received that much when it stops (docs/design/memory.md).
 */
const BYTES_PER_TRANSFER = 10 * MiB;
const WAITING_PER_TRANSFER = 5;
const LEAST_TRANSFERS = 8;
/** Memory of a child process for each pixel of an image: 4 bytes of the decoded image, and 3 of its copies. */
const BYTES_PER_PIXEL = 7;
/** The pixels of the photos of most phones, and of the largest image that a thumbnail is made of. */
const [LEAST_PIXELS, MOST_PIXELS] = [13_000_000, 100_000_000];

/** The sizes of all buffers and limits that depend on the server's memory. */
export interface MemoryPlan {
  /** Maximum number of upload bodies that are received at the same time, and of bodies that may wait for a slot. */
  readonly transfers: { readonly running: number; readonly waiting: number };
  /** Memory of bodies that are read into memory. */
  readonly bodies: { readonly firstBytes: number; readonly restBytes: number };
  /** Buffers of writes to the disk, and the maximum number of bytes of one file in the page cache before it is synchronized. */
  readonly diskWrites: { readonly largeBuffers: number; readonly smallBuffers: number; readonly unsyncedBytes: number };
  /** Memory of the bodies of direct uploads to S3. */
  readonly s3UploadBytes: number;
  /** Caches of a local database: of its connections for writes and for reads. */
  readonly database: { readonly writerCacheBytes: number; readonly readerCacheBytes: number };
  /** Maximum number of child processes that make thumbnails. */
  readonly thumbnails: number;
  /** Maximum number of pixels of an image that becomes a thumbnail. */
  readonly thumbnailPixels: number;
  /** Maximum number of passwords of shares that are hashed at the same time, with 32 MB each. */
  readonly passwordHashes: number;
}

/** Derives all sizes from the memory that the process may use. */
export function planMemory(bytes: number): MemoryPlan {
  const fraction = Math.min(1, Math.max(0, (bytes - BASE_BYTES) / (FULL_BYTES - BASE_BYTES)));
  const between = (least: number, most: number): number => Math.floor(least + (most - least) * fraction);
  const running = Math.max(LEAST_TRANSFERS, Math.floor((bytes - BASE_BYTES) / BYTES_PER_TRANSFER));
  return {
    transfers: { running, waiting: Math.floor(running * WAITING_PER_TRANSFER) },
    bodies: { firstBytes: between(4 * MiB, 16 * MiB), restBytes: between(16 * MiB, 64 * MiB) },
    diskWrites: {
      largeBuffers: between(4, 24),
      smallBuffers: between(32, 256),
      // The fraction is squared, because all files together use this much memory and the kernel cannot drop it.
      unsyncedBytes: Math.max(MiB, Math.floor(64 * MiB * fraction ** 2)),
    },
    s3UploadBytes: between(48 * MiB, 192 * MiB),
    database: { writerCacheBytes: between(2 * MiB, 4 * MiB), readerCacheBytes: between(4 * MiB, 16 * MiB) },
    thumbnails: fraction < 1 ? 1 : 2,
    thumbnailPixels: Math.min(MOST_PIXELS, Math.max(LEAST_PIXELS, Math.floor((bytes - BASE_BYTES) / 2 / BYTES_PER_PIXEL))),
    passwordHashes: fraction < 1 ? 1 : 2,
  };
}

export const memoryLimit: MemoryLimit = readMemoryLimit();

/** The plan for this process. */
export const memoryPlan: MemoryPlan = planMemory(memoryLimit.bytes);

/** Describes the memory, the resulting plan and, if the memory is too little, advice. */
export function describeMemory({ bytes, source }: MemoryLimit): { readonly detail: string; readonly fix: string | undefined } {
  const { transfers, bodies } = planMemory(bytes);
  const where = source === "cgroup" ? "of this control group (container or unit)" : "of this machine";
  const follows = `${transfers.running} uploads are received at the same time and ${transfers.waiting} wait; ${formatSize(bodies.restBytes)} for bodies in memory`;
  const detail = `${formatSize(bytes)} ${where}: ${follows}`;
  if (bytes >= LEAST_MEMORY_BYTES) return { detail, fix: undefined };
  return {
    detail: `${detail}. The system may end the server while it receives several large uploads`,
    fix: `Give it at least ${formatSize(LEAST_MEMORY_BYTES)}: MemoryMax in the systemd unit, --memory in docker run, or a larger machine`,
  };
}
