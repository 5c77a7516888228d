import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { fromDisk, storageFull, unlessMissing } from "./disk-errors.ts";
import { isBlobKey } from "./disk-layout.ts";
import type { BlobKey } from "./store.ts";

/** Keeps uploads from filling the disk: what they have announced counts as used before it is written. */
export interface DiskSpace {
  /** Promises `sizeBytes` to an upload; STORAGE_FULL where that would leave too little. */
  promise(key: BlobKey, sizeBytes: number): Promise<void>;
  /** The promise is kept or given up. */
  release(key: BlobKey): void;
  /** For an upload that has grown to `sizeBytes`: STORAGE_FULL where what it was not promised would leave too little. */
  ensureFor(key: BlobKey, sizeBytes: number): Promise<void>;
  /** STORAGE_FULL where so many more bytes, promised to nobody, would leave too little. */
  ensure(sizeBytes: number): Promise<void>;
  freeBytes(): Promise<number>;
}

export interface DiskSpaceOptions {
  readonly folder: string;
  readonly minFreeBytes: number;
}

/** How long a look at the disk serves, while there is plenty. */
const FRESH_MS = 250;

export function createDiskSpace({ folder, minFreeBytes }: DiskSpaceOptions): DiskSpace {
  const promised = new Map<BlobKey, number>();
  let promisedBytes = 0;
  let seen = { freeBytes: 0, at: Number.NEGATIVE_INFINITY };
  let fresh: Promise<number> | undefined;

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await fromDisk(statfs(folder));
    seen = { freeBytes: bavail * bsize, at: performance.now() };
    return seen.freeBytes;
  }

  /** Free bytes less all that is promised and not yet written, by this process or another: exact, but a look at each staged file. */
  async function unpromisedBytes(): Promise<number> {
    let bytes = await freeBytes();
    const staged = new Set<string>();
    for (const name of await fromDisk(readdir(folder))) {
      if (!isBlobKey(name)) continue;
      const info = await unlessMissing(stat(join(folder, name)));
      if (!info) continue;
      staged.add(name);
      bytes -= Math.max(0, Math.max(info.size, promised.get(name) ?? 0) - info.blocks * 512);
    }
    for (const [key, sizeBytes] of promised) if (!staged.has(key)) bytes -= sizeBytes;
    return bytes;
  }

  async function ensure(sizeBytes: number): Promise<void> {
    // Written bytes count twice here, as promised and as used: so plenty is plenty indeed.
    const plenty = performance.now() - seen.at < FRESH_MS ? seen.freeBytes : await freeBytes();
    if (plenty - promisedBytes - sizeBytes >= minFreeBytes) return;
    fresh ??= unpromisedBytes().finally(() => {
      fresh = undefined;
    });
    if ((await fresh) - sizeBytes < minFreeBytes) throw storageFull();
  }

  function release(key: BlobKey): void {
    promisedBytes -= promised.get(key) ?? 0;
    promised.delete(key);
  }

  return {
    async promise(key, sizeBytes) {
      release(key);
      promised.set(key, 0);
      await ensure(sizeBytes).catch((error) => {
        promised.delete(key);
        throw error;
      });
      promised.set(key, sizeBytes);
      promisedBytes += sizeBytes;
    },
    async ensureFor(key, sizeBytes) {
      const moreBytes = sizeBytes - (promised.get(key) ?? 0);
      if (moreBytes <= 0) return;
      await ensure(moreBytes);
      promised.set(key, sizeBytes);
      promisedBytes += moreBytes;
    },
    release,
    ensure,
    freeBytes,
  };
}
