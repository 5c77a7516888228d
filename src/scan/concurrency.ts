/** Where clamd does not say how many threads it has. */
const UNKNOWN = 2;
const MIN = 2;
const MAX = 16;

/**
 * How many files are checked at the same time: what is configured; otherwise all of the scanner's threads but one, which is for its self-test
 * and for others. At least two, so that a small file does not wait for a large one: clamd queues what it has no thread for.
 */
export function toScanConcurrency(configured: number | undefined, maxThreads: number | undefined): number {
  if (configured !== undefined) return configured;
  return maxThreads === undefined ? UNKNOWN : Math.min(MAX, Math.max(MIN, maxThreads - 1));
}
