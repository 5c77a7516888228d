/** Sends small files together, in one request. */
import { upload as texts } from "#texts/upload.ts";
import type { Retry } from "../../../src/transfer/retry.ts";
import type { Semaphore } from "../../../src/transfer/semaphore.ts";
import { type BatchEntry, sendBatch, toTargetFields, type UploadTarget } from "./api.ts";
import type { Digester } from "./digest.ts";

/** Larger files are sent in parts. */
export const MAX_SMALL_BYTES = 4 * 1024 * 1024;
export interface SmallFile {
  readonly path: string;
  readonly file: File;
}

export interface BatchContext {
  readonly target: UploadTarget;
  readonly retry: Retry;
  readonly digester: Digester;
  /** Requests with bytes at the same time. */
  readonly lines: Semaphore;
  /** Receives the bytes sent so far, of the whole request. */
  onSent(bytes: number): void;
}

/** Resolves to an entry for each file. Rejects if the whole request fails, with a sentence for people or with the signal's reason. */
export async function sendFiles(files: readonly SmallFile[], context: BatchContext): Promise<readonly BatchEntry[]> {
  const digests = await context.digester.digests(files.map(({ file }) => file));
  const readable = files.flatMap(({ path, file }, index) => {
    const sha256 = digests[index];
    return typeof sha256 === "string" ? [{ path, file, sha256 }] : [];
  });
  const entries = readable.length === 0 ? [] : await sendReadable(readable, context);
  const results = entries.values();
  return digests.map((digest) => (digest === null ? { error: texts.changed } : (results.next().value ?? { error: texts.refused })));
}

async function sendReadable(
  files: readonly (SmallFile & { readonly sha256: string })[],
  { target, retry, lines, onSent }: BatchContext,
): Promise<readonly BatchEntry[]> {
  await lines.acquire();
  const sending = retry(({ signal, onAlive }) => {
    const form = new FormData();
    for (const [name, value] of toTargetFields(target)) form.append(name, value);
    for (const { path, file, sha256 } of files) {
      form.append("relativePath", path);
      form.append("sha256", sha256);
      form.append("file", file, file.name);
    }
    const onProgress = (bytes: number) => {
      onAlive();
      onSent(bytes);
    };
    return sendBatch(form, { signal, onProgress });
  });
  return await sending.finally(() => lines.release());
}
