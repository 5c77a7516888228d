import { availableParallelism } from "node:os";
import type { BlobKey, BlobStore, CommittedPart, StagedBlob, StagedReader } from "../../blobs/store.ts";
import type { ExpectedPartRow } from "../../db/tables/uploads.ts";
import { createFileDigests, type FileDigests } from "../../lib/formats/file-digests.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import type { Verdict } from "../../scan/scanner.ts";
import type { ScannerService } from "../../scan/scanner-service.ts";
import { createPartVerifier } from "../uploads/verify-parts.ts";

/** Minimum size of an upload that is scanned early. The scan of a smaller one takes less than half a second. */
const MIN_BYTES = 64 * 1024 ** 2;

/** Maximum number of concurrent early scans, because each keeps two overlaps in memory. */
const MAX_SCANS = 8;

/** Maximum age of an early scan's first window when its verdict is used. */
const MAX_AGE_MS = HOUR_MS;

/**
 * The rate in bytes a second from which an upload is not scanned early. It needs the processors itself, and ends long before a scan could.
 */
const FAST = 200 * 1024 ** 2;

/** Time after which the rate of an upload is known. */
const MEASURE_MS = 1_000;

/** Bytes of a direct upload that may have been received but not written yet. */
const UNWRITTEN_BYTES = 4 * 1024 ** 2;

/** Number of processors. Early scans leave one to the uploads. */
const PROCESSORS = availableParallelism();

export interface EarlyScan {
  readonly verdict: Verdict;
  readonly digests: FileDigests;
}

/** Scans of uploads while their bytes arrive (scanning, "Early scans"). They exist in the memory of one process. */
export interface EarlyScans {
  /** Returns the store, whose uploads are scanned early. */
  watch<Store extends BlobStore>(store: Store): Store;
  /**
   * Waits for the early scan of a committed blob, which from now on does not wait for a slot. Resolves to undefined unless its verdict is that of a
   * complete scan of these bytes; the caller then scans them. `sha256` is the file's digest; null if it is not known yet.
   */
  claim(key: BlobKey, sha256: string | null): Promise<EarlyScan | undefined>;
  /** Notes that a scan job runs, before which no window of an early scan starts. Returns a function to call at its end. */
  startJob(): () => void;
  stop(): void;
}

type Part = Omit<ExpectedPartRow, "file_id">;

interface Upload {
  readonly key: BlobKey;
  readonly sizeBytes: number;
  /** The parts of the readable bytes, in order; empty for a direct upload. */
  readonly parts: Part[];
  /** Stored parts that follow a missing one, by the offset of their first byte. */
  readonly laterParts: Map<number, Part>;
  readableBytes: number;
  /** The end of the bytes that its scan awaits. */
  awaitedBytes: number;
  state: "arriving" | "committed" | "claimed" | "cancelled";
  readonly startedAtMs: number;
  readonly result: Promise<EarlyScan | undefined>;
}

export interface EarlyScansOptions {
  readonly scanner: ScannerService;
  readonly isEnabled: boolean;
  /** Returns the milliseconds since any fixed moment. */
  readonly now: () => number;
}

export function createEarlyScans({ scanner, isEnabled, now }: EarlyScansOptions): EarlyScans {
  const uploads = new Map<BlobKey, Upload>();
  let runningJobs = 0;
  let runningWindows = 0;
  let changed = Promise.withResolvers<void>();

  const notify = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };

  const cancel = (key: BlobKey): void => {
    const upload = uploads.get(key);
    if (!upload) return;
    upload.state = "cancelled";
    uploads.delete(key);
    notify();
  };

  const isSlotFree = (): boolean => runningJobs + runningWindows < Math.max(1, Math.min(scanner.concurrency, PROCESSORS) - 1);

  const waitUntil = async (upload: Upload, condition: () => boolean): Promise<void> => {
    while (upload.state !== "cancelled" && !condition()) await changed.promise;
    if (upload.state === "cancelled") throw new EarlyScanCancelled();
  };

  const whenStored = async (upload: Upload, end: number): Promise<void> => {
    upload.awaitedBytes = end;
    await waitUntil(upload, () => upload.readableBytes >= end);
  };

  async function scan(store: BlobStore, staged: StagedBlob, upload: Upload): Promise<EarlyScan | undefined> {
    const before = await scanner.state();
    if (!scanner.scanner || before.mode !== "clamd" || !before.ok) return undefined;
    let reader: StagedReader | undefined;
    let hasSlot = false;
    const release = (): void => {
      if (!hasSlot) return;
      hasSlot = false;
      runningWindows -= 1;
      notify();
    };
    const read = async (start: number, end: number): Promise<AsyncIterable<Uint8Array>> => {
      reader ??= await store.openStaged?.(staged);
      if (!reader) throw new EarlyScanCancelled();
      return reader.read({ range: { start, end } });
    };
    async function* readRange(start: number, end: number): AsyncGenerator<Uint8Array> {
      yield* await read(start, end);
    }
    const digests = createFileDigests();
    const parts = createPartVerifier(upload.parts);
    async function* body(): AsyncGenerator<Uint8Array> {
      for (let position = 0; position < upload.sizeBytes; ) {
        await whenStored(upload, position + 1);
        for await (const chunk of await read(position, upload.readableBytes)) {
          if (upload.state === "cancelled") throw new EarlyScanCancelled();
          digests.update(chunk);
          parts.add(chunk);
          yield chunk;
          position += chunk.length;
        }
      }
    }
    const whenReadable = async (end: number): Promise<void> => {
      release();
      await whenStored(upload, end);
      if (!isRecent(upload)) throw new EarlyScanCancelled();
      await waitUntil(upload, () => upload.state === "claimed" || (isSlow(upload) && isSlotFree()));
      if (upload.state === "claimed") return;
      hasSlot = true;
      runningWindows += 1;
    };
    try {
      const verdict = await scanner.scanner.scan({ body: body(), reopen: readRange, whenReadable }, upload.sizeBytes);
      await waitUntil(upload, () => upload.state === "claimed");
      const after = await scanner.state();
      const isWhole =
        parts.findMismatch() === undefined && after.ok && after.version === before.version && after.signatures === before.signatures;
      const isVerdict = verdict.kind === "clean" || verdict.kind === "infected";
      return isWhole && isVerdict ? { verdict, digests: digests.digest() } : undefined;
    } finally {
      release();
      await reader?.close();
    }
  }

  function start(store: BlobStore, staged: StagedBlob, sizeBytes: number | undefined): Upload | undefined {
    const known = uploads.get(staged.key);
    if (known || sizeBytes === undefined) return known;
    removeOld();
    if (uploads.size >= MAX_SCANS || scanner.mode !== "clamd") return undefined;
    const { promise: result, resolve } = Promise.withResolvers<EarlyScan | undefined>();
    const upload: Upload = {
      key: staged.key,
      sizeBytes,
      parts: [],
      laterParts: new Map(),
      readableBytes: 0,
      awaitedBytes: 0,
      state: "arriving",
      startedAtMs: now(),
      result,
    };
    uploads.set(staged.key, upload);
    scan(store, staged, upload)
      .catch(() => undefined)
      .then((found) => {
        if (found === undefined) cancel(staged.key);
        resolve(found);
      });
    return upload;
  }

  const isRecent = ({ startedAtMs }: Upload): boolean => now() - startedAtMs < MAX_AGE_MS;

  const isSlow = ({ startedAtMs, readableBytes }: Upload): boolean => {
    const elapsedMs = now() - startedAtMs;
    return elapsedMs >= MEASURE_MS && readableBytes / (elapsedMs / 1000) < FAST;
  };

  /** Removes the scans of uploads that were interrupted, or whose files ended before their scan jobs. */
  function removeOld(): void {
    for (const upload of uploads.values()) if (!isRecent(upload)) cancel(upload.key);
  }

  function advance(upload: Upload, readableBytes: number): void {
    upload.readableBytes = Math.max(upload.readableBytes, readableBytes);
    if (upload.readableBytes >= upload.awaitedBytes) notify();
  }

  function addPart(upload: Upload, part: Part): void {
    upload.laterParts.set(part.start_byte, part);
    let end = upload.readableBytes;
    for (let next = upload.laterParts.get(end); next; next = upload.laterParts.get(end)) {
      upload.laterParts.delete(end);
      upload.parts.push(next);
      end += next.size_bytes;
    }
    advance(upload, end);
  }

  function commit(key: BlobKey, committed: readonly CommittedPart[] | undefined): void {
    const upload = uploads.get(key);
    if (!upload) return;
    const isSame = (committed ?? []).every(({ partNumber, sha256 }, index) => {
      const part = upload.parts[index];
      return part?.part_number === partNumber && part.sha256 === sha256;
    });
    if (!isSame || upload.parts.length !== (committed?.length ?? 0) || upload.readableBytes !== upload.sizeBytes) cancel(key);
    else upload.state = "committed";
  }

  return {
    watch(store) {
      if (!store.openStaged || !isEnabled) return store;
      const sizes = new Map<BlobKey, number>();
      return {
        ...store,
        async stage(key, sizeBytes, options) {
          const staged = await store.stage(key, sizeBytes, options);
          if (sizeBytes !== undefined && sizeBytes >= MIN_BYTES) sizes.set(key, sizeBytes);
          return staged;
        },
        async writeAll(staged, body) {
          const upload = start(store, staged, sizes.get(staged.key));
          if (!upload) return await store.writeAll(staged, body);
          const written = await store.writeAll(
            staged,
            countBytes(body, (receivedBytes) => advance(upload, receivedBytes - UNWRITTEN_BYTES)),
          );
          advance(upload, written.sizeBytes);
          return written;
        },
        async writePart(staged, part, body, onWritten) {
          return await store.writePart(staged, part, body, async (written) => {
            await onWritten(written);
            const upload = start(store, staged, sizes.get(staged.key));
            const { partNumber: part_number, offset: start_byte, sizeBytes: size_bytes, sha256 } = part;
            if (upload) addPart(upload, { part_number, start_byte, size_bytes, sha256 });
          });
        },
        async commit(staged, parts) {
          await store.commit(staged, parts);
          sizes.delete(staged.key);
          commit(staged.key, parts);
        },
        async discard(staged) {
          sizes.delete(staged.key);
          cancel(staged.key);
          await store.discard(staged);
        },
        async remove(key) {
          cancel(key);
          await store.remove(key);
        },
      };
    },

    async claim(key, sha256) {
      const upload = uploads.get(key);
      if (upload?.state !== "committed") return undefined;
      upload.state = "claimed";
      notify();
      const found = await upload.result;
      uploads.delete(key);
      const isSame = sha256 === null ? upload.parts.length > 0 : sha256 === found?.digests.sha256;
      return isSame && isRecent(upload) ? found : undefined;
    },

    startJob() {
      runningJobs += 1;
      return () => {
        runningJobs -= 1;
        notify();
      };
    },

    stop() {
      for (const key of uploads.keys()) cancel(key);
    },
  };
}

class EarlyScanCancelled extends Error {
  override readonly name = "EarlyScanCancelled";
}

/** Passes chunks on, and the number of bytes that the reader has taken. */
async function* countBytes(body: AsyncIterable<Uint8Array>, onTaken: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let takenBytes = 0;
  for await (const chunk of body) {
    yield chunk;
    takenBytes += chunk.length;
    onTaken(takenBytes);
  }
}
