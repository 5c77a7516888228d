import type { BlobKey, BlobStore, StagedBlob, StagedReader } from "../../blobs/store.ts";
import { createFileDigests, type FileDigests } from "../../lib/formats/file-digests.ts";
import { type ChunkMemory, createChunkMemory } from "../../lib/system/chunk-memory.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import type { Verdict } from "../../scan/scanner.ts";
import type { ScannerService } from "../../scan/scanner-service.ts";
import { createPartVerifier } from "../uploads/verify-parts.ts";
import { type ArrivingUpload, isCrawling, isSlow, MEASURE_MS, newArrivingUpload } from "./arriving-upload.ts";
import { watchStore } from "./watched-store.ts";

/** Maximum number of concurrent early scans, because each keeps two overlaps in memory. */
const MAX_SCANS = 8;

/** Maximum age of an early scan's first window when its verdict is used. */
const MAX_AGE_MS = HOUR_MS;

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
  /** Ends the early scan of a blob, if there is one that was not claimed. */
  forget(key: BlobKey): void;
  /** Notes that a scan job runs, before which no window of an early scan starts. Returns a function to call at its end. */
  startJob(): () => void;
  stop(): void;
}

interface RunningScan {
  readonly upload: ArrivingUpload;
  readonly result: Promise<EarlyScan | undefined>;
}

export interface EarlyScansOptions {
  readonly scanner: ScannerService;
  readonly isEnabled: boolean;
  /** The number of processors, of which early scans leave one to the uploads. */
  readonly processors: number;
  /** Returns the milliseconds since any fixed moment. */
  readonly now: () => number;
}

export function createEarlyScans({ scanner, isEnabled, processors, now }: EarlyScansOptions): EarlyScans {
  const scans = new Map<BlobKey, RunningScan>();
  let runningJobs = 0;
  let runningWindows = 0;
  let changed = Promise.withResolvers<void>();

  const notify = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };

  const cancel = (key: BlobKey): void => {
    const running = scans.get(key);
    if (!running) return;
    running.upload.state = "cancelled";
    scans.delete(key);
    notify();
  };

  /** Takes a slot that no scan job and no other window uses, at the moment of the check, because all waiting windows look at the same time. */
  const takeSlot = (): boolean => {
    const isFree = runningJobs + runningWindows < Math.max(1, Math.min(scanner.concurrency, processors) - 1);
    if (isFree) runningWindows += 1;
    return isFree;
  };

  const waitUntil = async (upload: ArrivingUpload, condition: () => boolean): Promise<void> => {
    while (upload.state !== "cancelled" && !condition()) await changed.promise;
    if (upload.state === "cancelled") throw new EarlyScanCancelled();
  };

  const whenStored = async (upload: ArrivingUpload, end: number): Promise<void> => {
    upload.awaitedBytes = end;
    await waitUntil(upload, () => upload.readableBytes >= end);
  };

  async function scan(store: BlobStore, staged: StagedBlob, upload: ArrivingUpload): Promise<EarlyScan | undefined> {
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
    async function* read(start: number, end: number, memory: ChunkMemory): AsyncGenerator<Uint8Array> {
      reader ??= await store.openStaged?.(staged);
      if (!reader) throw new EarlyScanCancelled();
      yield* reader.read({ range: { start, end }, memory });
    }
    const digests = createFileDigests();
    const parts = createPartVerifier(upload.parts);
    async function* body(): AsyncGenerator<Uint8Array> {
      const memory = createChunkMemory();
      for (let position = 0; position < upload.sizeBytes; ) {
        // After the verdict, the rest is only read for the digest.
        if (upload.readableBytes <= position) release();
        await whenStored(upload, position + 1);
        for await (const chunk of read(position, upload.readableBytes, memory)) {
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
      await waitUntil(upload, () => {
        if (upload.state === "claimed") return true;
        hasSlot = isSlow(upload, now()) && takeSlot();
        return hasSlot;
      });
    };
    // Bytes that are read again may have been replaced since their digests were computed.
    const reopen = (): never => {
      throw new EarlyScanCancelled();
    };
    try {
      const verdict = await scanner.scanner.scan({ body: body(), reopen, whenReadable }, upload.sizeBytes);
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

  /** Starts the scan of an upload, unless as many as possible are scanned early and none of them may be given up. */
  function start(store: BlobStore, staged: StagedBlob, sizeBytes: number): void {
    for (const { upload } of scans.values()) if (!isRecent(upload)) cancel(upload.key);
    const crawling = scans.values().find(({ upload }) => isCrawling(upload, now()));
    if (scans.size >= MAX_SCANS && crawling) cancel(crawling.upload.key);
    if (scans.size >= MAX_SCANS || scanner.mode !== "clamd") return;
    const upload = newArrivingUpload({ key: staged.key, sizeBytes, startedAtMs: now() });
    const result = scan(store, staged, upload)
      .catch(() => undefined)
      .then((found) => {
        if (found === undefined && upload.state !== "cancelled") cancel(staged.key);
        return found;
      });
    scans.set(staged.key, { upload, result });
    // Its rate is known then, even if no more bytes arrive.
    setTimeout(notify, MEASURE_MS).unref();
  }

  const isRecent = ({ startedAtMs }: ArrivingUpload): boolean => now() - startedAtMs < MAX_AGE_MS;

  function advance(upload: ArrivingUpload, readableBytes: number): void {
    upload.readableBytes = Math.max(upload.readableBytes, readableBytes);
    if (upload.readableBytes >= upload.awaitedBytes) notify();
  }

  return {
    watch: (store) => (isEnabled ? watchStore(store, { start, find: (key) => scans.get(key)?.upload, advance, cancel }) : store),

    async claim(key, sha256) {
      const running = scans.get(key);
      if (running?.upload.state !== "committed") return undefined;
      const { upload, result } = running;
      upload.state = "claimed";
      notify();
      const found = await result;
      scans.delete(key);
      const isSame = sha256 === null ? upload.parts.length > 0 : sha256 === found?.digests.sha256;
      return isSame && isRecent(upload) ? found : undefined;
    },

    forget: cancel,

    startJob() {
      runningJobs += 1;
      return () => {
        runningJobs -= 1;
        notify();
      };
    },

    stop() {
      for (const key of scans.keys()) cancel(key);
    },
  };
}

class EarlyScanCancelled extends Error {
  override readonly name = "EarlyScanCancelled";
}
