/** The limits of files and bytes in one request. */
export interface BatchLimits {
  readonly maxFiles: number;
  readonly minFiles: number;
  readonly maxBytes: number;
  readonly minBytes: number;
}

/** The space for the fields of a form in a request that a proxy limits. */
const FORM_BYTES = 64 * 1024;

/** Limits batches to requests of at most `maxBytes`, if requests are limited. */
export function limitBatches(limits: BatchLimits, maxBytes: number | undefined): BatchLimits {
  if (maxBytes === undefined) return limits;
  const bytes = maxBytes - FORM_BYTES;
  return { ...limits, maxBytes: Math.min(limits.maxBytes, bytes), minBytes: Math.min(limits.minBytes, bytes) };
}

/** Whether a form with this number of file bytes exceeds `maxBytes`. */
export const exceedsForm = (bytes: number, maxBytes: number | undefined): boolean =>
  maxBytes !== undefined && bytes > maxBytes - FORM_BYTES;

/** Limits for browsers, which keep the bytes of a request in memory. */
export const DEFAULT_BATCH_LIMITS: BatchLimits = { maxFiles: 250, minFiles: 8, maxBytes: 16 * 1024 * 1024, minBytes: 512 * 1024 };

/**
 * Returns the number of files of the next batch: a share of the remaining files, so that requests are few at the beginning and end at about the same
 * time.
 */
export function planBatch(sizes: readonly number[], parallel: number, limits: BatchLimits = DEFAULT_BATCH_LIMITS): number {
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
