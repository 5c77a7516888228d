import type { ScanSource } from "./scanner.ts";

/** A source that can be gone back in: what was passed already is reopened, the rest still comes from the one pass over the body. */
export interface Feed {
  /** Bytes of the body handed out so far, replays not counted. */
  readonly passedBytes: number;
  /** The next bytes, at most `maxBytes`, good until the next call; undefined at the end. Rejects with what the source throws. */
  next(maxBytes: number): Promise<Uint8Array | undefined>;
  /** Goes back to byte `start`. */
  rewind(start: number): Promise<void>;
  /** Reads what is left of the body. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export function createFeed(source: ScanSource): Feed {
  const body = createReader(source.body);
  let replay: Reader | undefined;
  let passedBytes = 0;

  const endReplay = async () => {
    const ending = replay;
    replay = undefined;
    await ending?.close();
  };

  const nextOfBody = async (maxBytes: number) => {
    const bytes = await body.next(maxBytes);
    passedBytes += bytes?.length ?? 0;
    return bytes;
  };

  return {
    get passedBytes() {
      return passedBytes;
    },
    async next(maxBytes) {
      const again = await replay?.next(maxBytes);
      if (again) return again;
      await endReplay();
      return nextOfBody(maxBytes);
    },
    async rewind(start) {
      await endReplay();
      if (start < passedBytes) replay = createReader(source.reopen(start, passedBytes));
    },
    async drain() {
      await endReplay();
      while (await nextOfBody(Number.MAX_SAFE_INTEGER));
    },
    async close() {
      await endReplay();
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
