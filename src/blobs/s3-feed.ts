import { Readable } from "node:stream";

/** A stream that somebody pushes into, at the speed at which it is read. */
export interface Feed {
  readonly stream: Readable;
  /** Takes the chunk, which nobody may change any more, and waits where the reader is slower. Resolves to whether there is still a reader. */
  push(chunk: Uint8Array): Promise<boolean>;
  end(): void;
}

const BUFFERED_BYTES = 256 * 1024;

/** A reader that takes nothing for `stallMs` is given up, with a TimeoutError. */
export function createFeed(stallMs: number): Feed {
  let wake: (() => void) | undefined;
  const stream = new Readable({
    highWaterMark: BUFFERED_BYTES,
    read: () => wake?.(),
    destroy(error, done) {
      wake?.();
      done(error);
    },
  });
  // Whoever reads hears of it; without a listener it would end the process.
  stream.on("error", () => {});
  return {
    stream,
    async push(chunk) {
      if (stream.destroyed) return false;
      const wanted = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (!stream.push(chunk)) {
        const timer = setTimeout(() => stream.destroy(new DOMException("The store takes no bytes", "TimeoutError")), stallMs);
        await wanted;
        clearTimeout(timer);
      }
      return !stream.destroyed;
    },
    end: () => void stream.push(null),
  };
}
