import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { fromDisk, storageFull, unlessMissing } from "./disk-errors.ts";
import { type BlobKey, isBlobKey } from "./store.ts";

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
  /** Promised by an earlier or another process, as last counted. */
  let inheritedBytes: number | undefined;
  let seen = { freeBytes: 0, at: Number.NEGATIVE_INFINITY };
  let lastCount: Promise<unknown> = Promise.resolve();

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await fromDisk(statfs(folder));
    seen = { freeBytes: bavail * bsize, at: performance.now() };
    return seen.freeBytes;
  }

  /** Free bytes less all that is promised and not yet written, by whomever: exact, but a look at each staged file. */
  async function countUnpromised(): Promise<number> {
    const free = await freeBytes();
    const written = new Map<BlobKey, number>();
    let othersBytes = 0;
    for (const name of (await fromDisk(readdir(folder))).filter(isBlobKey)) {
      const info = await unlessMissing(stat(join(folder, name)));
      if (!info) continue;
      written.set(name, info.blocks * 512);
      if (!promised.has(name)) othersBytes += Math.max(0, info.size - info.blocks * 512);
    }
    inheritedBytes = othersBytes;
    let ownBytes = 0;
    for (const [key, sizeBytes] of promised) ownBytes += Math.max(0, sizeBytes - (written.get(key) ?? 0));
    return free - othersBytes - ownBytes;
  }

  /** Calls `take` where so many more bytes fit, with nothing in between that could use them. */
  async function claim(moreBytes: number, take: () => void): Promise<void> {
    if (performance.now() - seen.at > FRESH_MS) await freeBytes();
    // Bytes that are promised and written count twice here: so plenty is plenty indeed.
    const plenty = inheritedBytes !== undefined && seen.freeBytes - promisedBytes - inheritedBytes - moreBytes >= minFreeBytes;
    if (plenty) return take();
    const counted = lastCount.then(async () => {
      if ((await countUnpromised()) - moreBytes < minFreeBytes) throw storageFull();
      take();
    });
    lastCount = counted.catch(() => undefined);
    return counted;
  }

  function release(key: BlobKey): void {
    promisedBytes -= promised.get(key) ?? 0;
    promised.delete(key);
  }

  function add(key: BlobKey, sizeBytes: number): void {
    promised.set(key, (promised.get(key) ?? 0) + sizeBytes);
    promisedBytes += sizeBytes;
  }

  return {
    async promise(key, sizeBytes) {
      release(key);
      await claim(sizeBytes, () => add(key, sizeBytes));
    },
    async ensureFor(key, sizeBytes) {
      const moreBytes = sizeBytes - (promised.get(key) ?? 0);
      if (moreBytes > 0) await claim(moreBytes, () => add(key, moreBytes));
    },
    ensure: (sizeBytes) => claim(sizeBytes, () => undefined),
    release,
    freeBytes,
  };
}
