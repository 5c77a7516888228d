import { setTimeout as sleep } from "node:timers/promises";
import { BATCH_UPLOAD } from "../../contract/scalars.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import { type BatchLimits, exceedsForm, limitBatches } from "../../transfer/plan-batch.ts";
import { Semaphore } from "../../transfer/semaphore.ts";
import { createSendQueue } from "../../transfer/send-queue.ts";
import type { RememberedFile, UnfinishedFile } from "../records/shipment-records.ts";
import { openBodyLimit, type UploadRecords } from "../records/upload-records.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import { proxyRefusalOf } from "../server/server-error.ts";
import { fileChanged, type LocalFile } from "../upload-file/local-file.ts";
import { attributesOf } from "../upload-file/sent-attributes.ts";
import { uploadLocalFile } from "../upload-file/upload-file.ts";
import { describeProblem, type LocalEntry, type UnreadablePath } from "./collect.ts";
import { type BatchedFile, sendBatch } from "./send-batch.ts";

/** The number of simultaneous requests with small files. */
const MAX_UPLOAD_REQUESTS = 3;
/** The number of simultaneous large files. Each occupies about 20 MB. */
const PARALLEL_LARGE = 2;
/** The time in which the bytes of one request are sent, so that a broken connection loses little. */
const BATCH_SECONDS = 3;
const MAX_BATCH_BYTES = 48 * 1024 * 1024;
const LIMITS: BatchLimits = { maxFiles: BATCH_UPLOAD.maxFiles, minFiles: 8, maxBytes: MAX_BATCH_BYTES, minBytes: 512 * 1024 };
/** The number of times that a file is sent which the server could not store. */
const MAX_TRIES = 4;
const PAUSE_MS = 2000;

export interface ShipmentUpload {
  /** Publish fields of each file, including those with which it joins the shipment. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: readonly LocalEntry[];
  /** Whether all files are encrypted. */
  readonly isEncrypted: boolean;
  /** Whether modification times and executable bits are sent with the files. */
  readonly showsTimes: boolean;
}

export interface ShipmentContext {
  readonly api: RemoteApi;
  readonly records: UploadRecords;
  readonly signal: AbortSignal;
  open(file: LocalEntry): Promise<LocalFile>;
  onWait(reason: string): void;
  /** Receives the number of files and bytes that have been sent. */
  onProgress(progress: { readonly files: number; readonly bytes: number }): void;
  onSent(files: readonly RememberedFile[]): Promise<void>;
  /** Runs when the upload in parts of a file has begun. */
  onBegun(file: UnfinishedFile): Promise<void>;
  /** Whether another process has sent a file meanwhile. */
  isSent(file: Pick<RememberedFile, "path" | "version">): Promise<boolean>;
  onFailed(problem: UnreadablePath): void;
}

/** Codes of errors that concern one file. The other files are sent. */
const OF_ONE_FILE: ReadonlySet<ErrorCode> = new Set([
  "VALIDATION_FAILED",
  "CONFLICT",
  "DIGEST_MISMATCH",
  "FILE_DIGEST_MISMATCH",
  "FILE_TOO_LARGE_FOR_DIRECT",
  "QUOTA_EXCEEDED",
  "UNSUPPORTED_MEDIA_TYPE",
]);
/** Codes of temporary errors of one file in a stored batch. */
const TEMPORARY: ReadonlySet<string> = new Set(["STORAGE_FULL", "UNAVAILABLE"]);

/** Sends the files of a shipment, and reports files that cannot be sent. Rejects with an error that concerns all of them. */
export async function sendShipment({ fields, files, isEncrypted, showsTimes }: ShipmentUpload, context: ShipmentContext): Promise<void> {
  const failing = new AbortController();
  const signal = AbortSignal.any([context.signal, failing.signal]);
  const retry = createRequestRetry(signal, context.onWait);
  const connections = new Semaphore(MAX_UPLOAD_REQUESTS);
  const limit = await openBodyLimit(await context.api.discoverServer(), context.records);
  const tries = new Map<LocalEntry, number>();
  const formFields = Object.entries(fields).map(([name, value]) => [name, String(value)] as const);
  /** Files of a batch that are reported, or sent alone. A divided batch continues without them. */
  const excludedFromBatches = new WeakSet<LocalEntry>();
  const sending = new Set<{ bytes: number }>();
  let doneFiles = 0;
  let doneBytes = 0;
  let bytesPerSecond = 0;

  const report = (): void =>
    context.onProgress({ files: doneFiles, bytes: [...sending].reduce((sum, { bytes }) => sum + bytes, doneBytes) });

  function fail({ path }: LocalEntry, error: unknown): void {
    const isOfOne = !(error instanceof AppError) || OF_ONE_FILE.has(error.code) || (error.code === "ENCRYPTED_REFUSED" && !isEncrypted);
    if (isOfOne) context.onFailed({ path, ...describeProblem(error) });
    else failing.abort(error);
  }

  async function counted(work: (sent: { bytes: number }) => Promise<void>): Promise<void> {
    const sent = { bytes: 0 };
    sending.add(sent);
    try {
      await work(sent);
    } catch (error) {
      failing.abort(withoutRetry(error));
    } finally {
      sending.delete(sent);
      report();
    }
  }

  const sendTogether = (batch: readonly LocalEntry[]): Promise<void> =>
    counted(async (sent) => {
      try {
        await sendOnce(batch, sent);
      } catch (error) {
        if (proxyRefusalOf(error) === undefined) throw error;
        const refused = batch.filter((file) => !excludedFromBatches.has(file));
        limit.lower(refused.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
        const [first] = refused;
        if (first !== undefined && refused.length === 1) return queue.add(first, { isAlone: true });
        const half = refused.length >> 1;
        for (const part of [refused.slice(0, half), refused.slice(half)]) await sendTogether(part);
      }
    });

  async function sendOnce(batch: readonly LocalEntry[], sent: { bytes: number }): Promise<void> {
    const [only] = batch;
    if (only !== undefined && batch.length === 1 && exceedsForm(only.sizeBytes, limit.maxBytes)) return queue.add(only, { isAlone: true });
    await connections.acquire();
    const startedMs = performance.now();
    try {
      const stored = await sendBatch(batch, {
        api: context.api,
        retry,
        fields: formFields,
        open: openSmall,
        showsTimes,
        onUnreadable(file, error) {
          excludedFromBatches.add(file);
          if (error !== GROWN) fail(file, error);
        },
        onSent(bytes) {
          sent.bytes = bytes;
          report();
        },
      });
      bytesPerSecond = (sent.bytes * 1000) / (performance.now() - startedMs);
      await settleBatch(stored);
    } finally {
      sent.bytes = 0;
      connections.release();
    }
  }

  /** Opens a file of a batch. A file that has grown meanwhile is sent alone. */
  async function openSmall(file: LocalEntry): Promise<LocalFile> {
    const opened = await context.open(file);
    if (opened.sizeBytes <= BATCH_UPLOAD.maxFileBytes) return opened;
    await opened[Symbol.asyncDispose]();
    queue.add({ ...file, sizeBytes: opened.sizeBytes });
    throw GROWN;
  }

  async function settleBatch(stored: readonly BatchedFile[]): Promise<void> {
    const kept: RememberedFile[] = [];
    const again: LocalEntry[] = [];
    for (const { file, version, entry } of stored) {
      if (!("errorCode" in entry)) {
        kept.push({ path: file.path, version, id: entry.id });
        doneFiles += 1;
        doneBytes += file.sizeBytes;
        continue;
      }
      const tried = (tries.get(file) ?? 0) + 1;
      tries.set(file, tried);
      if (TEMPORARY.has(entry.errorCode) && tried < MAX_TRIES) again.push(file);
      else if (entry.errorCode === "DIGEST_MISMATCH") fail(file, fileChanged());
      else fail(file, new AppError(entry.errorCode as ErrorCode, entry.error));
    }
    await context.onSent(kept);
    if (again.length === 0) return;
    await sleep(PAUSE_MS, undefined, { signal });
    for (const file of again) queue.add(file);
  }

  const sendAlone = (file: LocalEntry): Promise<void> =>
    counted(async (sent) => {
      try {
        await using opened = await context.open(file);
        if (!(await context.isSent({ path: file.path, version: opened.contentVersion })))
          await uploadLocalFile(
            {
              file: opened,
              fileName: file.path.slice(file.path.lastIndexOf("/") + 1),
              fields: { ...fields, relativePath: file.path },
              attributes: showsTimes ? attributesOf(opened) : undefined,
            },
            {
              ...context,
              limit,
              signal,
              onShare: ({ uploadId, key }) => context.onBegun({ path: file.path, version: opened.version, uploadId, key }),
              onStored: ({ id }) => context.onSent([{ path: file.path, version: opened.contentVersion, id }]),
              onProgress(bytes) {
                sent.bytes = bytes;
                report();
              },
            },
          );
        doneFiles += 1;
        doneBytes += opened.sizeBytes;
      } catch (error) {
        signal.throwIfAborted();
        fail(file, error);
      }
    });

  const queue = createSendQueue<LocalEntry>({
    connections: MAX_UPLOAD_REQUESTS,
    // One batch more than connections: it reads its first file while the others are sent.
    parallelBatches: MAX_UPLOAD_REQUESTS + 1,
    parallelLarge: PARALLEL_LARGE,
    maxSmallBytes: BATCH_UPLOAD.maxFileBytes,
    signal,
    limits: () =>
      limitBatches(
        { ...LIMITS, maxBytes: Math.min(MAX_BATCH_BYTES, Math.max(LIMITS.minBytes, bytesPerSecond * BATCH_SECONDS)) },
        limit.maxBytes,
      ),
    sendTogether,
    sendAlone,
  });
  for (const file of files) queue.add(file);
  queue.start();
  await queue.whenIdle();
  signal.throwIfAborted();
}

const GROWN = new Error("The file has grown.");
