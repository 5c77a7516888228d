/** How files are grouped into requests. */
const MAX_FILES = 250;
const MIN_FILES = 8;
const MAX_BYTES = 16 * 1024 * 1024;
const MIN_BYTES = 512 * 1024;

/**
 * How many of the first files the next batch takes: a share of what is left, so that requests are few at the beginning, and end at about the
 * same time.
 */
export function planBatch(sizes: readonly number[], parallel: number): number {
  const leftBytes = sizes.reduce((sum, size) => sum + size, 0);
  const bytes = Math.min(MAX_BYTES, Math.max(MIN_BYTES, leftBytes / (2 * parallel)));
  const files = Math.min(MAX_FILES, Math.max(MIN_FILES, Math.ceil(sizes.length / (2 * parallel))));
  let count = 0;
  let taken = 0;
  for (const size of sizes) {
    if (count > 0 && (count >= files || taken + size > bytes)) break;
    count += 1;
    taken += size;
  }
  return count;
}
