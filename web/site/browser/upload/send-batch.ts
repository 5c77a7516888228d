/** Sends small files together, in one request. */
import { upload as texts } from "#texts/site";
import type { BodyLimit } from "../../../../src/transfer/body-limit.ts";
import { BodyRefused, sendThenCheckSource } from "../../../../src/transfer/failures.ts";
import { exceedsForm } from "../../../../src/transfer/plan-batch.ts";
import type { Retry } from "../../../../src/transfer/retry.ts";
import type { Semaphore } from "../../../../src/transfer/semaphore.ts";
import type { Digester } from "./digest.ts";
import { findUnreadable } from "./failures.ts";
import type { Content } from "./resume-records.ts";
import { type BatchEntry, sendBatch, toTargetFields, type UploadTarget } from "./upload-api.ts";

/** The size up to which files are sent together. Larger ones are sent in parts. */
export const MAX_SMALL_BYTES = 4 * 1024 * 1024;
export interface SmallFile {
  readonly path: string;
  readonly file: File;
  /** The ID of the folder of the owner's file; undefined: none. */
  readonly folderId?: string | undefined;
}

export interface BatchContext {
  readonly target: UploadTarget;
  readonly retry: Retry;
  readonly digester: Digester;
  readonly limit: BodyLimit;
  /** The semaphore of requests with bytes. */
  readonly connections: Semaphore;
  /** Receives the number of bytes of the whole request that were sent. */
  onSent(bytes: number): void;
}

/** A file of a request: stored, or refused with a sentence. */
export interface SentEntry {
  readonly error?: string;
  readonly content?: Content;
  /** Whether the file must be sent in parts, because its encryption is too large, or a proxy refuses each request with the whole file. */
  readonly needsParts?: boolean;
}

interface ReadableFile extends SmallFile {
  readonly sha256: string;
}

/**
 * Sends files in one request. Resolves to an entry for each file. Rejects if the whole request fails, with a sentence for people or with the signal's
 * reason.
 */
export async function sendFiles(files: readonly SmallFile[], context: BatchContext): Promise<readonly SentEntry[]> {
  const digests = await context.digester.digests(files.map(({ file }) => file));
  const readable = files.flatMap((file, index) => {
    const sha256 = digests[index];
    return typeof sha256 === "string" ? [{ ...file, sha256 }] : [];
  });
  const results = (await sendReadable(readable, context)).values();
  return digests.map((digest) => (digest === null ? { error: texts.changed } : (results.next().value ?? { error: texts.refused })));
}

/** Divides a request that a proxy refuses, and leaves out files that have changed meanwhile. */
async function sendReadable(files: readonly ReadableFile[], context: BatchContext): Promise<readonly SentEntry[]> {
  if (files.length === 0) return [];
  const { limit, onSent } = context;
  const bytes = sumOf(files);
  if (files.length === 1 && exceedsForm(bytes, limit.maxBytes)) return [{ needsParts: true }];
  try {
    const entries = await sendRequest(files, context);
    return files.map(({ file, sha256 }, index) => {
      const { error, errorCode } = entries[index] ?? { error: texts.refused };
      if (errorCode === "DIGEST_MISMATCH") return { error: texts.changed };
      return error === undefined ? { content: { partBytes: Math.max(1, file.size), digests: [sha256] } } : { error };
    });
  } catch (error) {
    if (error instanceof UnreadableFiles) {
      const left = (
        await sendReadable(
          files.filter(({ file }) => !error.files.has(file)),
          context,
        )
      ).values();
      return files.map(({ file }) => (error.files.has(file) ? { error: texts.changed } : (left.next().value ?? { error: texts.refused })));
    }
    if (!(error instanceof BodyRefused)) throw error;
    limit.lower(bytes);
    if (files.length === 1) return [{ needsParts: true }];
    const [first, second] = [files.slice(0, files.length >> 1), files.slice(files.length >> 1)];
    const sent = await sendReadable(first, context);
    return [...sent, ...(await sendReadable(second, { ...context, onSent: (bytes) => onSent(sumOf(first) + bytes) }))];
  }
}

const sumOf = (files: readonly SmallFile[]): number => files.reduce((sum, { file }) => sum + file.size, 0);

/** The error for files of a request that have changed, or cannot be read. */
class UnreadableFiles extends Error {
  constructor(readonly files: ReadonlySet<File>) {
    super(texts.changed);
  }
}

async function sendRequest(
  files: readonly ReadableFile[],
  { target, retry, connections, onSent }: BatchContext,
): Promise<readonly BatchEntry[]> {
  await connections.acquire();
  let tries = 0;
  const sending = retry(({ signal, onAlive }) => {
    const form = new FormData();
    let folder = files[0]?.folderId;
    for (const [name, value] of toTargetFields(target, folder)) form.append(name, value);
    for (const { path, file, sha256, folderId } of files) {
      // The field applies to all files after it.
      if (folderId !== folder) form.append("folderId", folderId ?? "null");
      folder = folderId;
      form.append("relativePath", path);
      form.append("sha256", sha256);
      form.append("file", file, file.name);
    }
    const onProgress = (bytes: number) => {
      onAlive();
      onSent(bytes);
    };
    const check = async (): Promise<void> => {
      const unreadable = await findUnreadable(files.map(({ file }) => file));
      if (unreadable.size > 0) throw new UnreadableFiles(unreadable);
    };
    return sendThenCheckSource({ tries: tries++, sizeBytes: sumOf(files), signal, check }, () => sendBatch(form, { signal, onProgress }));
  });
  return await sending.finally(() => connections.release());
}
