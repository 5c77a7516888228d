/**
 * Sends files to a shipment: small ones together, large ones in parts, several requests at the same time. Does not depend on the page: the front page
 * and the share page show its reports.
 */
import { upload as texts } from "#texts/site";
import type { FileKey } from "../../../../src/transfer/encryption/encrypt.ts";
import { Gate } from "../../../../src/transfer/gate.ts";
import { DEFAULT_BATCH_LIMITS, limitBatches } from "../../../../src/transfer/plan-batch.ts";
import { Semaphore } from "../../../../src/transfer/semaphore.ts";
import { createSendQueue } from "../../../../src/transfer/send-queue.ts";
import { createDigester } from "./digest.ts";
import { encryptFile, sendEncryptedFiles } from "./encryption/encrypted-files.ts";
import { createEncryptor } from "./encryption/encryptor.ts";
import { toSentenceOf, Unreachable } from "./failures.ts";
import { knownBodyLimit } from "./known-limit.ts";
import type { Content, ResumeRecords } from "./resume-records.ts";
import { createRetry } from "./retry.ts";
import { MAX_SMALL_BYTES, sendFiles } from "./send-batch.ts";
import { sendInParts } from "./send-parts.ts";
import { sendWhole } from "./send-whole.ts";
import { abortSession, type UploadTarget } from "./upload-api.ts";

/** The number of simultaneous requests with bytes. Browsers open six connections to a server. */
const MAX_UPLOAD_REQUESTS = 4;
/** The number of simultaneous batches: one more than connections, because it computes its digests meanwhile. */
const PARALLEL_BATCHES = MAX_UPLOAD_REQUESTS + 1;
const PARALLEL_LARGE = 3;
/** The number of simultaneous large files that are encrypted, because their encrypted parts wait in memory. */
const PARALLEL_ENCRYPTED = 2;

export type FileStatus = "waiting" | "sending" | "sent" | "failed";

export interface UploadedFileState {
  /** The path in the shipment, with `/` between folders; different for each file. */
  readonly path: string;
  readonly file: File;
  readonly sizeBytes: number;
  readonly status: FileStatus;
  readonly sentBytes: number;
  /** The reason of the failure, as a sentence. */
  readonly problem?: string;
}

export interface FileToSend {
  readonly path: string;
  readonly file: File;
  /** The ID of the folder of the owner's file; undefined: none. */
  readonly folderId?: string | undefined;
}

export interface UploadOptions {
  readonly target: UploadTarget;
  /** The site's configured URL. */
  readonly siteUrl: string;
  readonly memory: ResumeRecords;
  /** The key with which the files are encrypted; undefined if they are sent as they are. */
  readonly fileKey?: FileKey | undefined;
  /** Runs after each change, often. */
  onChange(): void;
  /** Receives the reason of a wait, or an empty text when the wait ends. */
  onWait(reason: string): void;
  /** Runs if bytes were stored before, and are not sent now. */
  onResumed(): void;
}

export interface Upload {
  readonly files: readonly UploadedFileState[];
  readonly totalBytes: number;
  readonly sentBytes: number;
  /** Whether a file is being sent or waits. */
  readonly isRunning: boolean;
  readonly isPaused: boolean;
  add(files: readonly FileToSend[]): void;
  pause(): void;
  resume(): void;
  /** Sends the failed files again. */
  retryFailed(): void;
  /** Cancels the upload, and removes the sessions of unfinished files from the server. */
  cancel(): Promise<void>;
}

interface Item extends FileToSend {
  sizeBytes: number;
  status: FileStatus;
  sentBytes: number;
  problem?: string;
}

const isUnsettled = ({ status }: Item): boolean => status === "waiting" || status === "sending";

export function startUpload(options: UploadOptions): Upload {
  const { target, siteUrl, memory, fileKey, onChange, onWait, onResumed } = options;
  const items: Item[] = [];
  const cancelling = new AbortController();
  const { signal } = cancelling;
  const gate = new Gate();
  const connections = new Semaphore(MAX_UPLOAD_REQUESTS);
  const digester = createDigester();
  const encryptor = fileKey && createEncryptor(fileKey);
  const retry = createRetry({ signal, gate, onWait });
  const speed = { bytesPerSecond: 0 };
  const limit = knownBodyLimit();
  const queue = createSendQueue<Item>({
    connections: MAX_UPLOAD_REQUESTS,
    parallelBatches: PARALLEL_BATCHES,
    parallelLarge: encryptor ? PARALLEL_ENCRYPTED : PARALLEL_LARGE,
    maxSmallBytes: MAX_SMALL_BYTES,
    signal,
    limits: () => limitBatches(DEFAULT_BATCH_LIMITS, limit.maxBytes),
    sendTogether,
    sendAlone: sendLarge,
  });
  let totalBytes = 0;

  function enqueue(item: Item, options?: { readonly isAlone: boolean }): void {
    Object.assign(item, { status: "waiting", problem: undefined });
    queue.add(item, options);
  }

  function startNext(): void {
    queue.start();
    onChange();
  }

  async function sendTogether(files: readonly Item[]): Promise<void> {
    const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const item of files) item.status = "sending";
    onChange();
    try {
      const onSent = (bytes: number) => {
        // The bytes of the form count as bytes of its files.
        let left = Math.min(bytes, totalBytes);
        for (const item of files) {
          item.sentBytes = Math.min(left, item.sizeBytes);
          left -= item.sentBytes;
        }
        onChange();
      };
      const context = { target, retry, digester, limit, connections, onSent };
      const entries = encryptor ? await sendEncryptedFiles(files, encryptor, context) : await sendFiles(files, context);
      const ended = files.map((item, index) => ({ item, path: item.path, entry: entries[index] ?? {} }));
      const sent = ended.filter(({ entry: { error, needsParts } }) => error === undefined && !needsParts);
      await memory.saveContents(sent.map(({ path, entry: { content } }) => ({ path, content })));
      for (const { item, entry } of ended) {
        if (!entry.needsParts) settle(item, entry.error);
        else enqueue(item, { isAlone: true });
      }
    } catch (error) {
      for (const item of files) settle(item, toProblem(error));
    }
  }

  async function sendLarge(item: Item): Promise<void> {
    item.status = "sending";
    onChange();
    const onSent = (bytes: number) => {
      item.sentBytes = Math.min(bytes, item.sizeBytes);
      onChange();
    };
    try {
      let content: Content | undefined;
      try {
        const context = { target, siteUrl, signal, gate, digester, encryptor, speed, limit, connections, memory, onWait };
        content = await sendInParts({ ...item, onSent, onResumed }, context);
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        await forgetSession(item.path);
        await sendWhole(encryptor ? await encryptFile(item, encryptor) : item, { target, retry, onSent });
      }
      await memory.saveContents([{ path: item.path, content }]);
      settle(item);
    } catch (error) {
      settle(item, toProblem(error), item.sentBytes);
    }
  }

  function settle(item: Item, problem?: string, storedBytes = 0): void {
    item.status = problem === undefined ? "sent" : "failed";
    item.sentBytes = problem === undefined ? item.sizeBytes : storedBytes;
    item.problem = problem;
    // Files that are added or sent again later start new workers.
    if (!items.some(isUnsettled)) closeWorkers();
    onChange();
  }

  function closeWorkers(): void {
    digester.close();
    encryptor?.close();
  }

  function toProblem(error: unknown): string {
    if (signal.aborted) return texts.cancelled;
    return toSentenceOf(error);
  }

  async function forgetSession(path: string): Promise<void> {
    const { uploadId } = (await memory.find(path)) ?? {};
    if (uploadId) await abortSession({ uploadId }, AbortSignal.timeout(10_000)).catch(() => undefined);
  }

  return {
    files: items,
    get totalBytes() {
      return totalBytes;
    },
    get sentBytes() {
      return items.reduce((sum, { sentBytes }) => sum + sentBytes, 0);
    },
    get isRunning() {
      return items.some(isUnsettled);
    },
    get isPaused() {
      return !gate.isOpen;
    },
    add(files) {
      for (const { path, file, folderId } of files) {
        const item: Item = { path, file, folderId, sizeBytes: file.size, status: "waiting", sentBytes: 0 };
        items.push(item);
        totalBytes += file.size;
        enqueue(item);
      }
      startNext();
    },
    pause() {
      gate.close();
      onChange();
    },
    resume() {
      gate.open();
      onChange();
    },
    retryFailed() {
      for (const item of items) if (item.status === "failed") enqueue(item);
      startNext();
    },
    async cancel() {
      // Behind a proxy, and if their encryption is too large, small files may have a session as well.
      const isAnyInParts = limit.maxBytes !== undefined || encryptor !== undefined;
      const unfinished = items.filter(({ status, sizeBytes }) => status !== "sent" && (sizeBytes > MAX_SMALL_BYTES || isAnyInParts));
      cancelling.abort(new DOMException(texts.cancelled, "AbortError"));
      queue.clear();
      await Promise.all(unfinished.map(({ path }) => forgetSession(path)));
      closeWorkers();
    },
  };
}
