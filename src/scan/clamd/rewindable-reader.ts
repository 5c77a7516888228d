import type { ScanSource } from "../scanner.ts";

/** A reader of a source that can rewind: bytes that were read are reopened, and the rest comes from the one pass over the body. */
export interface RewindableReader {
  /** Number of bytes of the body that were read, without repetitions. */
  readonly readBytes: number;
  /** Returns the next bytes, at most `maxBytes`, valid until the next call; undefined at the end. Rejects with the source's error. */
  next(maxBytes: number): Promise<Uint8Array | undefined>;
  /** Rewinds to byte `start`. */
  rewind(start: number): Promise<void>;
  /** Reads the rest of the body. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export function createRewindableReader(source: ScanSource): RewindableReader {
  const body = createReader(source.body);
  let replay: Reader | undefined;
  let readBytes = 0;

  const closeReplay = async () => {
    const ending = replay;
    replay = undefined;
    await ending?.close();
  };

  const nextOfBody = async (maxBytes: number) => {
    const bytes = await body.next(maxBytes);
    readBytes += bytes?.length ?? 0;
    return bytes;
  };

  return {
    get readBytes() {
      return readBytes;
    },
    async next(maxBytes) {
      const again = await replay?.next(maxBytes);
      if (again) return again;
      await closeReplay();
      return nextOfBody(maxBytes);
    },
    async rewind(start) {
      await closeReplay();
      if (start < readBytes) replay = createReader(source.reopen(start, readBytes));
    },
    async drain() {
      await closeReplay();
      while (await nextOfBody(Number.MAX_SAFE_INTEGER));
    },
    async close() {
      await closeReplay();
      await body.close();
    },
  };
}

interface Reader {
  next(maxBytes: number): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

function createReader(bytes: AsyncIterable<Uint8Array>): Reader {
  const iterator = bytes[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  return {
    async next(maxBytes) {
      while (rest.length === 0) {
        const item = await iterator.next();
        if (item.done) return undefined;
        rest = item.value;
      }
      const part = rest.subarray(0, maxBytes);
      rest = rest.subarray(part.length);
      return part;
    },
    async close() {
      await iterator.return?.();
    },
  };
}
