import type { BlobKey } from "../store.ts";

/** Records the parts of an upload that this process has completed, because the caller's record may be slightly outdated. */
export interface CompletedParts {
  add(key: BlobKey, partNumber: number): void;
  has(key: BlobKey, partNumber: number): boolean;
  remove(key: BlobKey): void;
}

const MAX_UPLOADS = 4096;

/** Creates a record with one bit per part, for the most recently changed uploads. */
export function createCompletedParts(): CompletedParts {
  const uploads = new Map<BlobKey, Uint8Array>();
  return {
    add(key, partNumber) {
      const index = partNumber >> 3;
      const bits = grown(uploads.get(key), index);
      bits[index] = (bits[index] ?? 0) | (1 << (partNumber & 7));
      uploads.delete(key);
      uploads.set(key, bits);
      if (uploads.size <= MAX_UPLOADS) return;
      for (const oldest of uploads.keys()) {
        uploads.delete(oldest);
        return;
      }
    },
    has: (key, partNumber) => ((uploads.get(key)?.[partNumber >> 3] ?? 0) & (1 << (partNumber & 7))) !== 0,
    remove: (key) => void uploads.delete(key),
  };
}

function grown(bits: Uint8Array | undefined, index: number): Uint8Array {
  if (bits && index < bits.length) return bits;
  const larger = new Uint8Array(Math.max(16, 2 ** Math.ceil(Math.log2(index + 1))));
  if (bits) larger.set(bits);
  return larger;
}
