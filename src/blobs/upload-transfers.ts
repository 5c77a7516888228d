import { createMutex, type Mutex } from "../lib/concurrency/mutex.ts";
import { partReplaced, uploadClosed } from "./blob-errors.ts";
import type { BlobKey } from "./store.ts";

/** Maximum number of concurrent transfers of one part: one that may have stalled, and its replacement. */
const MAX_PART_TRANSFERS = 2;

/** The transfer of one body into an upload. Other transfers can stop it. */
export interface BlobTransfer {
  /** Stops the transfer with the first given reason. A running disk write still completes, so callers wait for `finished`. */
  stop(reason: Error): void;
  /** Throws the reason if the transfer was stopped. */
  check(): void;
  /** Calls `take` with each chunk in order. Rejects with the errors of `body`, and immediately when stopped, even if `body` does not respond. */
  receive(body: AsyncIterable<Uint8Array>, take: (chunk: Uint8Array) => Promise<void>): Promise<void>;
  /** The time of its last chunk, or of its start; undefined once the body has ended. */
  readonly waitingSince: number | undefined;
  readonly isStopped: boolean;
  /** Declares that the transfer no longer writes to the store. */
  markFinished(): void;
  readonly finished: Promise<void>;
}

/** The transfers of one part, of which only one at a time writes in place. */
export interface PartTransfers {
  readonly mutex: Mutex;
  /** The transfer that writes in place, and whether all its bytes are written and verified. */
  inPlace: { readonly transfer: BlobTransfer; readonly sha256: string; verified: boolean } | undefined;
}

export interface UploadTransfers {
  /** Runs a transfer into the upload. Throws UPLOAD_CLOSED while the upload is being closed. */
  run<T>(key: BlobKey, write: (transfer: BlobTransfer) => Promise<T>): Promise<T>;
  /**
   * Runs a transfer of one part. With more than two of the same part, the newest stops the one that has waited longest for bytes, with CONFLICT. If
   * both have received all their bytes, it waits for one of them before it reads.
   */
  runPart<T>(key: BlobKey, partNumber: number, write: (transfer: BlobTransfer, partTransfers: PartTransfers) => Promise<T>): Promise<T>;
  /** Stops all transfers of the upload with UPLOAD_CLOSED, waits for them, and runs `work`. No new transfer starts meanwhile. */
  closeUpload<T>(key: BlobKey, work: () => Promise<T>): Promise<T>;
  readonly busyUploads: number;
}

interface Upload {
  readonly transfers: Set<BlobTransfer>;
  readonly parts: Map<number, Part>;
  closing: number;
}

interface Part {
  readonly partTransfers: PartTransfers;
  /** Running transfers of the part, each with a promise of its end. */
  readonly running: Map<BlobTransfer, Promise<void>>;
  /** Number of running and waiting transfers. */
  count: number;
}

/** Creates the record of this process's transfers by upload. Uploads without transfers are removed. */
export function createUploadTransfers(): UploadTransfers {
  const uploads = new Map<BlobKey, Upload>();

  async function withUpload<T>(key: BlobKey, use: (upload: Upload) => Promise<T>): Promise<T> {
    const upload = uploads.get(key) ?? { transfers: new Set(), parts: new Map(), closing: 0 };
    uploads.set(key, upload);
    try {
      return await use(upload);
    } finally {
      if (upload.transfers.size === 0 && upload.closing === 0 && uploads.get(key) === upload) uploads.delete(key);
    }
  }

  async function run<T>(key: BlobKey, write: (transfer: BlobTransfer, upload: Upload) => Promise<T>): Promise<T> {
    return withUpload(key, async (upload) => {
      if (upload.closing > 0) throw uploadClosed();
      const transfer = createTransfer();
      upload.transfers.add(transfer);
      try {
        return await write(transfer, upload);
      } finally {
        transfer.markFinished();
        upload.transfers.delete(transfer);
      }
    });
  }

  return {
    run: (key, write) => run(key, write),
    runPart: (key, partNumber, write) =>
      run(key, async (transfer, { parts }) => {
        const part = parts.get(partNumber) ?? { partTransfers: { mutex: createMutex(), inPlace: undefined }, running: new Map(), count: 0 };
        parts.set(partNumber, part);
        part.count += 1;
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        try {
          while (!makeRoom(part)) {
            await Promise.race(part.running.values());
            transfer.check();
          }
          part.running.set(transfer, ended);
          return await write(transfer, part.partTransfers);
        } finally {
          end();
          part.running.delete(transfer);
          part.count -= 1;
          if (part.count === 0) parts.delete(partNumber);
        }
      }),
    closeUpload: (key, work) =>
      withUpload(key, async (upload) => {
        upload.closing++;
        try {
          for (const transfer of upload.transfers) transfer.stop(uploadClosed());
          await Promise.all(Array.from(upload.transfers, (transfer) => transfer.finished));
          return await work();
        } finally {
          upload.closing--;
        }
      }),
    get busyUploads() {
      return uploads.size;
    },
  };
}

/**
 * Frees a slot for another transfer of a part by stopping the one that has waited longest for bytes. Resolves to false if all have received all their
 * bytes.
 */
function makeRoom({ running }: Part): boolean {
  const others = [...running.keys()].filter(({ isStopped }) => !isStopped);
  if (others.length < MAX_PART_TRANSFERS) return true;
  const receiving = others.filter(({ waitingSince }) => waitingSince !== undefined);
  const [longestWaiting] = receiving.sort((a, b) => (a.waitingSince ?? 0) - (b.waitingSince ?? 0));
  longestWaiting?.stop(partReplaced());
  return longestWaiting !== undefined;
}

function createTransfer(): BlobTransfer {
  const { promise: finished, resolve: markFinished } = Promise.withResolvers<void>();
  let reason: Error | undefined;
  let rejectNext: ((reason: Error) => void) | undefined;
  let waitingSince: number | undefined = performance.now();

  function check(): void {
    if (reason) throw reason;
  }

  return {
    finished,
    markFinished,
    check,
    get waitingSince() {
      return waitingSince;
    },
    get isStopped() {
      return reason !== undefined;
    },
    stop(why) {
      reason ??= why;
      rejectNext?.(reason);
    },
    async receive(body, take) {
      const iterator = body[Symbol.asyncIterator]();
      let ended = false;
      // Promise.race would retain a reaction for each chunk on a promise that lives as long as the upload.
      const next = () =>
        new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
          rejectNext = reject;
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
        rejectNext = undefined;
        // A source that hangs in `next` never ends, so it is notified without a wait.
        if (!ended) void Promise.resolve(iterator.return?.()).catch(() => undefined);
      }
    },
  };
}
