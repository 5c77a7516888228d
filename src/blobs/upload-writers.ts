import type { BlobKey } from "./store.ts";
import { uploadClosed } from "./store-errors.ts";

/** One body on its way into an upload, which somebody else can stop. */
export interface Writer {
  /** The first reason counts. What has begun on the disk ends by itself: wait for `quiet`. */
  stop(reason: Error): void;
  /** Throws the reason for which it was stopped. */
  check(): void;
  /** Hands each chunk to `take` in order; rejects with what `body` throws, and at once when stopped, even if `body` hangs. */
  receive(body: AsyncIterable<Uint8Array>, take: (chunk: Uint8Array) => Promise<void>): Promise<void>;
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
  /** Runs a writer of one part of it. */
  runPart<T>(key: BlobKey, partNumber: number, write: (writer: Writer, slot: Slot) => Promise<T>): Promise<T>;
  /** Stops all writers of the upload with UPLOAD_CLOSED and, when they are quiet, does `work`; no new one starts meanwhile. */
  closing<T>(key: BlobKey, work: () => Promise<T>): Promise<T>;
  readonly busyUploads: number;
}

interface Upload {
  readonly writers: Set<Writer>;
  readonly slots: Map<number, { readonly slot: Slot; users: number }>;
  closers: number;
}

/** Who writes into which upload, in this process; what nobody uses any more is forgotten. */
export function createWriters(): Writers {
  const uploads = new Map<BlobKey, Upload>();

  async function within<T>(key: BlobKey, use: (upload: Upload) => Promise<T>): Promise<T> {
    const upload = uploads.get(key) ?? { writers: new Set(), slots: new Map(), closers: 0 };
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
      run(key, async (writer, { slots }) => {
        const entry = slots.get(partNumber) ?? { slot: createSlot(), users: 0 };
        slots.set(partNumber, entry);
        entry.users++;
        try {
          return await write(writer, entry.slot);
        } finally {
          if (--entry.users === 0) slots.delete(partNumber);
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

function createWriter(): Writer {
  const { promise: quiet, resolve: settle } = Promise.withResolvers<void>();
  let reason: Error | undefined;
  let interrupt: ((reason: Error) => void) | undefined;

  function check(): void {
    if (reason) throw reason;
  }

  return {
    quiet,
    settle,
    check,
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
          await take(step.value);
        }
      } finally {
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
