/** The time over which the rate is averaged. */
const WINDOW_MS = 20_000;

export interface Speed {
  readonly bytesPerSecond: number;
  /** The remaining time; undefined if nothing moves, or the total is unknown. */
  readonly msLeft: number | undefined;
}

/** Creates a function that takes the number of bytes done, and returns the average speed of the last 20 seconds. The first call is the start. */
export function createRateMeter(nowMs: () => number): (doneBytes: number, totalBytes: number | undefined) => Speed {
  let recent: { readonly atMs: number; readonly bytes: number }[] = [];
  return (bytes, totalBytes) => {
    const now = { atMs: nowMs(), bytes };
    recent = [...recent.filter(({ atMs }, index) => now.atMs - atMs <= WINDOW_MS || index === recent.length - 1), now];
    const oldest = recent[0] ?? now;
    const bytesPerMs = Math.max(0, now.bytes - oldest.bytes) / Math.max(1, now.atMs - oldest.atMs);
    const isKnown = bytesPerMs > 0 && totalBytes !== undefined;
    return { bytesPerSecond: bytesPerMs * 1000, msLeft: isKnown ? Math.max(0, totalBytes - bytes) / bytesPerMs : undefined };
  };
}
