import type { BlobKey } from "./store.ts";

/** Which parts of an upload this process has placed: a caller's own record of that may be a moment old. */
export interface PlacedParts {
  add(key: BlobKey, partNumber: number): void;
  has(key: BlobKey, partNumber: number): boolean;
  forget(key: BlobKey): void;
}

const MAX_UPLOADS = 4096;

/** One bit a part, of the uploads that were last added to. */
export function createPlacedParts(): PlacedParts {
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
    forget: (key) => void uploads.delete(key),
  };
}

function grown(bits: Uint8Array | undefined, index: number): Uint8Array {
  if (bits && index < bits.length) return bits;
  const larger = new Uint8Array(Math.max(16, 2 ** Math.ceil(Math.log2(index + 1))));
  if (bits) larger.set(bits);
  return larger;
}
