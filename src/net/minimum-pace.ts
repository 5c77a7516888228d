import { AppError } from "../errors.ts";

/** How slow a source may be: so many bytes a second, on average over each window. */
export interface MinimumPace {
  readonly bytesPerSecond: number;
  readonly windowMs: number;
}

/**
 * Passes `body` on, and throws REMOTE_TIMEOUT where its source is slower. Counts only the time that is spent waiting for the source, never the
 * time that the reader takes. A source that sends nothing at all is not noticed here: that is the idle timeout's.
 */
export async function* atMinimumPace(
  body: AsyncIterable<Uint8Array>,
  pace: MinimumPace,
  now: () => number = () => performance.now(),
): AsyncGenerator<Uint8Array> {
  let waitedMs = 0;
  let bytes = 0;
  let askedAtMs = now();
  for await (const chunk of body) {
    waitedMs += now() - askedAtMs;
    bytes += chunk.length;
    if (waitedMs >= pace.windowMs) {
      if (bytes * 1000 < pace.bytesPerSecond * waitedMs) throw tooSlow();
      waitedMs = 0;
      bytes = 0;
    }
    yield chunk;
    askedAtMs = now();
  }
}

const tooSlow = (): AppError =>
  new AppError("REMOTE_TIMEOUT", "The remote server sends too slowly, so the import was ended. Use a faster source, or upload the file.");
