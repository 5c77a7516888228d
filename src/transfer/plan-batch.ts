/** How many files and bytes a request may have. */
export interface BatchLimits {
  readonly maxFiles: number;
  readonly minFiles: number;
  readonly maxBytes: number;
  readonly minBytes: number;
}

/** Those of a browser, which has the bytes of a request in memory. */
const DEFAULT_LIMITS: BatchLimits = { maxFiles: 250, minFiles: 8, maxBytes: 16 * 1024 * 1024, minBytes: 512 * 1024 };

/**
 * How many of the first files the next batch takes: a share of what is left, so that requests are few at the beginning, and end at about the
 * same time.
 */
export function planBatch(sizes: readonly number[], parallel: number, limits: BatchLimits = DEFAULT_LIMITS): number {
  const leftBytes = sizes.reduce((sum, size) => sum + size, 0);
  const bytes = Math.min(limits.maxBytes, Math.max(limits.minBytes, leftBytes / (2 * parallel)));
  const files = Math.min(limits.maxFiles, Math.max(limits.minFiles, Math.ceil(sizes.length / (2 * parallel))));
  let count = 0;
  let taken = 0;
  for (const size of sizes) {
    if (count > 0 && (count >= files || taken + size > bytes)) break;
    count += 1;
    taken += size;
  }
  return count;
}
