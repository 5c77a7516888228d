import type { BlobKey } from "./store.ts";
import { partTakenOver, uploadClosed } from "./store-errors.ts";

/** Transfers of one part at once: the one that may have died without a word, and the one that is sent instead. */
const MAX_PART_WRITERS = 2;

/** One body on its way into an upload, which somebody else can stop. */
export interface Writer {
  /** The first reason counts. What has begun on the disk ends by itself: wait for `quiet`. */
  stop(reason: Error): void;
  /** Throws the reason for which it was stopped. */
  check(): void;
  /** Hands each chunk to `take` in order; rejects with what `body` throws, and at once when stopped, even if `body` hangs. */
  receive(body: AsyncIterable<Uint8Array>, take: (chunk: Uint8Array) => Promise<void>): Promise<void>;
  /** When its last chunk came, or it began; undefined once it has all. */
  readonly waitingSince: number | undefined;
  readonly isStopped: boolean;
  /** Tells that it touches the disk no more. */
  settle(): void;
  readonly quiet: Promise<void>;
}

/** Runs of one at a time, in the order of their calls. */
export interface Slot {
  locked<T>(run: () => Promise<T>): Promise<T>;
  /** Who writes the part in its place, and whether all its bytes are verified and there. */
  inPlace: { readonly writer: Writer; readonly sha256: string; verified: boolean } | undefined;
  readonly busy: boolean;
}

export interface Writers {
  /** Runs a writer of the upload; UPLOAD_CLOSED while the upload is being closed. */
  run<T>(key: BlobKey, write: (writer: Writer) => Promise<T>): Promise<T>;
  /**
   * Runs a writer of one part of it. Past two of the same part, the newest takes over with CONFLICT from the one that has waited longest for
   * bytes; where both have all of theirs, it waits for one of them before it reads any.
   */
  runPart<T>(key: BlobKey, partNumber: number, write: (writer: Writer, slot: Slot) => Promise<T>): Promise<T>;
  /** Stops all writers of the upload with UPLOAD_CLOSED and, when they are quiet, does `work`; no new one starts meanwhile. */
  closing<T>(key: BlobKey, work: () => Promise<T>): Promise<T>;
  readonly busyUploads: number;
}

interface Upload {
  readonly writers: Set<Writer>;
  readonly parts: Map<number, Part>;
  closers: number;
}

interface Part {
  readonly slot: Slot;
  /** Its writers, and what resolves when each has ended. */
  readonly running: Map<Writer, Promise<void>>;
  /** Those, and who waits to be one. */
  users: number;
}

/** Who writes into which upload, in this process; what nobody uses any more is forgotten. */
export function createWriters(): Writers {
  const uploads = new Map<BlobKey, Upload>();

  async function within<T>(key: BlobKey, use: (upload: Upload) => Promise<T>): Promise<T> {
    const upload = uploads.get(key) ?? { writers: new Set(), parts: new Map(), closers: 0 };
    uploads.set(key, upload);
    try {
      return await use(upload);
    } finally {
      if (upload.writers.size === 0 && upload.closers === 0 && uploads.get(key) === upload) uploads.delete(key);
    }
  }

  async function run<T>(key: BlobKey, write: (writer: Writer, upload: Upload) => Promise<T>): Promise<T> {
    return within(key, async (upload) => {
      if (upload.closers > 0) throw uploadClosed();
      const writer = createWriter();
      upload.writers.add(writer);
      try {
        return await write(writer, upload);
      } finally {
        writer.settle();
        upload.writers.delete(writer);
      }
    });
  }

  return {
    run: (key, write) => run(key, write),
    runPart: (key, partNumber, write) =>
      run(key, async (writer, { parts }) => {
        const part = parts.get(partNumber) ?? { slot: createSlot(), running: new Map(), users: 0 };
        parts.set(partNumber, part);
        part.users += 1;
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        try {
          while (!makeRoom(part)) {
            await Promise.race(part.running.values());
            writer.check();
          }
          part.running.set(writer, ended);
          return await write(writer, part.slot);
        } finally {
          end();
          part.running.delete(writer);
          part.users -= 1;
          if (part.users === 0) parts.delete(partNumber);
        }
      }),
    closing: (key, work) =>
      within(key, async (upload) => {
        upload.closers++;
        try {
          for (const writer of upload.writers) writer.stop(uploadClosed());
          await Promise.all(Array.from(upload.writers, (writer) => writer.quiet));
          return await work();
        } finally {
          upload.closers--;
        }
      }),
    get busyUploads() {
      return uploads.size;
    },
  };
}

/** Whether a part can have another writer: stops the one that has waited longest for bytes; false where all of them have all of theirs. */
function makeRoom({ running }: Part): boolean {
  const rivals = [...running.keys()].filter(({ isStopped }) => !isStopped);
  if (rivals.length < MAX_PART_WRITERS) return true;
  const receiving = rivals.filter(({ waitingSince }) => waitingSince !== undefined);
  const [silent] = receiving.sort((a, b) => (a.waitingSince ?? 0) - (b.waitingSince ?? 0));
  silent?.stop(partTakenOver());
  return silent !== undefined;
}

function createWriter(): Writer {
  const { promise: quiet, resolve: settle } = Promise.withResolvers<void>();
  let reason: Error | undefined;
  let interrupt: ((reason: Error) => void) | undefined;
  let waitingSince: number | undefined = performance.now();

  function check(): void {
    if (reason) throw reason;
  }

  return {
    quiet,
    settle,
    check,
    get waitingSince() {
      return waitingSince;
    },
    get isStopped() {
      return reason !== undefined;
    },
    stop(why) {
      reason ??= why;
      interrupt?.(reason);
    },
    async receive(body, take) {
      const iterator = body[Symbol.asyncIterator]();
      let ended = false;
      // Not Promise.race: on a promise that lives as long as the upload it would keep a reaction for each chunk.
      const next = () =>
        new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
          interrupt = reject;
          iterator.next().then(resolve, (error) => {
            ended = true;
            reject(error);
          });
        });
      try {
        for (;;) {
          check();
          const step = await next();
          if (step.done) {
            ended = true;
            return check();
          }
          waitingSince = performance.now();
          await take(step.value);
        }
      } finally {
        waitingSince = undefined;
        interrupt = undefined;
        // A source that hangs in `next` would never come to its end: it is told, not waited for.
        if (!ended) void Promise.resolve(iterator.return?.()).catch(() => undefined);
      }
    },
  };
}

function createSlot(): Slot {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    inPlace: undefined,
    get busy() {
      return waiting > 0;
    },
    async locked(run) {
      waiting++;
      const mine = last.then(run);
      last = mine.catch(() => undefined);
      try {
        return await mine;
      } finally {
        waiting--;
      }
    },
  };
}
