import { AppError } from "../errors.ts";

/** The minimum average pace of a source over each window. */
export interface MinimumPace {
  readonly bytesPerSecond: number;
  readonly windowMs: number;
}

/**
 * Yields `body`, and throws REMOTE_TIMEOUT if its source is slower. Counts only the time spent waiting for the source, not the reader's. The idle
 * timeout handles a source that sends nothing.
 */
export async function* requireMinimumPace(
  body: AsyncIterable<Uint8Array>,
  pace: MinimumPace,
  now: () => number = () => performance.now(),
): AsyncGenerator<Uint8Array> {
  let waitedMs = 0;
  let bytes = 0;
  let requestedAtMs = now();
  for await (const chunk of body) {
    waitedMs += now() - requestedAtMs;
    bytes += chunk.length;
    if (waitedMs >= pace.windowMs) {
      if (bytes * 1000 < pace.bytesPerSecond * waitedMs) throw tooSlow();
      waitedMs = 0;
      bytes = 0;
    }
    yield chunk;
    requestedAtMs = now();
  }
}

const tooSlow = (): AppError =>
  new AppError(
    "REMOTE_TIMEOUT",
    "The remote server sent too slowly, so the import was cancelled. Use a faster source, or upload the file.",
  );
