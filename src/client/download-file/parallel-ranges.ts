import type { MissingBytes, MissingSpan } from "./missing-bytes.ts";

const CHECK_MS = 1000;
const MAX_HELPERS = 3;
/** The remaining time from which a further connection is worth it. A download that ends sooner keeps its one connection. */
const MIN_LEFT_MS = 4000;
/** The factor by which a further connection must speed up the download. Otherwise no more are opened. */
const MIN_GAIN = 1.15;
const PIECE_MS = 4000;
const MIN_PIECE_BYTES = 1024 * 1024;
const MAX_PIECE_BYTES = 64 * 1024 * 1024;

interface Helping {
  readonly missing: MissingBytes;
  /** Receives a piece. Rejects if it cannot; other connections then receive the rest. */
  fill(hole: MissingSpan): Promise<void>;
  /** Runs before the first piece, which leaves a hole in the file. */
  beforeFirst(): Promise<void>;
}

/** The further connections of one download. Their disposal stops opening more, and waits for pieces that are being received. */
export interface Helpers extends AsyncDisposable {
  /** Resolves when all further connections have ended. */
  whenDone(): Promise<void>;
}

/**
 * Opens further connections to a long download, one after another, as long as each makes it faster. They receive pieces from the end of the file, so
 * that its beginning arrives in order.
 */
export function startHelpers({ missing, fill, beforeFirst }: Helping): Helpers {
  const running = new Set<Promise<void>>();
  let last = { atMs: performance.now(), bytes: missing.bytes };
  let baseline = 0;
  let isSearching = true;

  async function help(pieceBytes: number): Promise<void> {
    for (let hole = missing.takeLast(pieceBytes); hole !== undefined; hole = isSearching ? missing.takeLast(pieceBytes) : undefined) {
      try {
        await fill(hole);
      } catch {
        isSearching = false;
      } finally {
        missing.release(hole);
      }
    }
  }

  function check(): void {
    const now = { atMs: performance.now(), bytes: missing.bytes };
    const bytesPerMs = (last.bytes - now.bytes) / (now.atMs - last.atMs);
    last = now;
    if (!isSearching || bytesPerMs <= 0) return;
    if (running.size > 0 && bytesPerMs < baseline * MIN_GAIN) isSearching = false;
    else if (running.size < MAX_HELPERS && now.bytes / bytesPerMs > MIN_LEFT_MS) {
      baseline = bytesPerMs;
      const pieceBytes = Math.min(MAX_PIECE_BYTES, Math.max(MIN_PIECE_BYTES, Math.ceil((bytesPerMs / (running.size + 1)) * PIECE_MS)));
      const helper = (running.size === 0 ? beforeFirst() : Promise.resolve()).then(() => help(pieceBytes)).catch(() => undefined);
      running.add(helper);
      void helper.finally(() => running.delete(helper));
    }
  }

  const timer = setInterval(check, CHECK_MS);
  const whenDone = async (): Promise<void> => void (await Promise.all(running));
  return {
    whenDone,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      isSearching = false;
      await whenDone();
    },
  };
}
