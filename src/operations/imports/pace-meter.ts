/** How long an import is measured, at least, before its speed is known. */
const WINDOW_MS = 15_000;

/** How fast something has been lately. */
export interface PaceMeter {
  /** Bytes a second over the last 15 to 30 seconds, given all bytes so far; undefined in the first 15 seconds. */
  measure(totalBytes: number): number | undefined;
}

/** `totalBytes`: where it begins. Call `measure` every few seconds, or it looks back further. */
export function createPaceMeter(now: () => number, totalBytes = 0): PaceMeter {
  let before = { atMs: now(), bytes: totalBytes };
  let latest = before;
  return {
    measure(bytes) {
      const atMs = now();
      if (atMs - latest.atMs >= WINDOW_MS) [before, latest] = [latest, { atMs, bytes }];
      const elapsedMs = atMs - before.atMs;
      return elapsedMs < WINDOW_MS ? undefined : ((bytes - before.bytes) * 1000) / elapsedMs;
    },
  };
}

/** An import that is slower gives its slot to a newcomer, where all are taken. */
const SLOW_BYTES_PER_SECOND = 256 * 1024;

/** The slowest of those that are slow; undefined where none is known to be. */
export function findSlowest<T>(imports: Iterable<T>, measure: (item: T) => number | undefined): T | undefined {
  let slowest: T | undefined;
  let least = SLOW_BYTES_PER_SECOND;
  for (const item of imports) {
    const pace = measure(item);
    if (pace === undefined || pace >= least) continue;
    slowest = item;
    least = pace;
  }
  return slowest;
}
