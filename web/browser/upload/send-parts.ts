/**
 * Sends a large file in parts, several at the same time, each with its SHA-256. Continues an earlier session of the same file, and sends only
 * the parts that it lacks.
 */
import { upload as texts } from "#texts/upload.ts";
import { TemporaryFailure } from "../../../src/transfer/failures.ts";
import type { Gate } from "../../../src/transfer/gate.ts";
import { planPartSize } from "../../../src/transfer/plan-parts.ts";
import { newKey } from "../../../src/transfer/retry.ts";
import type { Semaphore } from "../../../src/transfer/semaphore.ts";
import { type LineSpeed, sendParts } from "../../../src/transfer/send-parts.ts";
import {
  completeSession,
  createSession,
  findSession,
  isRefused,
  read,
  requestPartUrls,
  toTargetFields,
  type UploadSession,
  type UploadTarget,
} from "./api.ts";
import type { Digester } from "./digest.ts";
import { Refusal, toFailure, Unreachable } from "./failures.ts";
import type { UploadMemory } from "./memory.ts";
import { createRetry } from "./retry.ts";
import { sendRequest } from "./transport.ts";

export interface PartsContext {
  readonly target: UploadTarget;
  /** The site's configured URL; the page may be open under another name. */
  readonly siteUrl: string;
  readonly signal: AbortSignal;
  readonly gate: Gate;
  readonly digester: Digester;
  /** Requests with bytes at the same time. */
  readonly lines: Semaphore;
  readonly memory: UploadMemory;
  readonly speed: LineSpeed;
  /** Receives the reason of a wait, or an empty text when it ends. */
  onWait(reason: string): void;
}

export interface LargeFile {
  readonly path: string;
  readonly file: File;
  /** Receives the bytes sent so far, with those that were stored before; when it fails, the stored bytes. */
  onSent(bytes: number): void;
  /** Parts were stored before. */
  onResumed(): void;
}

/** Rejects with a sentence for people, with `Unreachable`, or with the signal's reason. */
export async function sendInParts(large: LargeFile, context: PartsContext): Promise<void> {
  const retry = createRetry(context);
  const opened = await retry(({ signal }) => openSession(large, context, signal));
  await sendAll(large, opened, context);
  await retry(({ signal }) => completeSession(opened.session, signal));
}

interface OpenSession {
  readonly session: UploadSession;
  /** Part number → SHA-256 of a stored part. */
  readonly stored: ReadonlyMap<number, string>;
}

/** Returns the session remembered for the file, or a new one. */
async function openSession(large: LargeFile, context: PartsContext, signal: AbortSignal): Promise<OpenSession> {
  const remembered = await context.memory.find(large.path);
  if (remembered?.uploadId) {
    try {
      const session = await findSession(remembered.uploadId, signal);
      return { session, stored: new Map(session.parts.map(({ partNumber, sha256 }) => [partNumber, sha256])) };
    } catch (error) {
      // The session no longer exists.
      if (!isRefused(error)) throw error;
    }
  }
  // An init is remembered until its response arrives: if that is lost, repeating the same init with the same key returns the same session.
  const lost = remembered?.uploadId ? undefined : remembered;
  const key = lost?.initKey ?? newKey();
  const partSize = lost?.partSize ?? planPartSize(large.file.size, context.speed.bytesPerSecond);
  await context.memory.save(large.path, { initKey: key, partSize });
  const { name, size, type } = large.file;
  const file = { fileName: name, fileSize: size, fileType: type || undefined, partSize };
  const body = { ...file, ...Object.fromEntries(toTargetFields(context.target)), relativePath: large.path };
  const session = await createSession(body, { key, signal });
  await context.memory.save(large.path, { uploadId: session.uploadId });
  return { session, stored: new Map() };
}

async function sendAll(large: LargeFile, { session, stored }: OpenSession, context: PartsContext): Promise<void> {
  const { siteUrl, digester, lines, speed, signal } = context;
  let isResumed = stored.size > 0;
  await sendParts<Blob>({
    ...session,
    stored,
    slice: (start, end) => large.file.slice(start, end),
    digests: (slices) => digester.digests(slices),
    requestUrls: (digests, signal) => requestPartUrls(session, digests, signal),
    put: async (url, bytes, { signal, onProgress }) => await putPart(toReachableUrl(url, siteUrl), bytes, signal, onProgress),
    isForeign: (url) => toReachableUrl(url, siteUrl).origin !== location.origin,
    errors: { changed: () => new Refusal(texts.changed), unreachable: () => new Unreachable(texts.unreachable) },
    signal,
    createRetry: (signal) => createRetry({ ...context, signal }),
    lines,
    speed,
    onSent: (bytes) => {
      large.onSent(bytes);
      // The first bytes are those that were stored before.
      if (isResumed) large.onResumed();
      isResumed = false;
    },
  });
}

/** Replaces the configured origin of the site with the one under which the page is open. */
function toReachableUrl(url: string, siteUrl: string): URL {
  const { origin, pathname, search } = new URL(url, location.href);
  return new URL(origin === new URL(siteUrl).origin ? pathname + search : url, location.href);
}

async function putPart(url: URL, bytes: Blob, signal: AbortSignal, onProgress: (bytes: number) => void): Promise<void> {
  // A type would add a Content-Type header, which a presigned URL does not allow.
  const body = bytes.slice(0, bytes.size, "");
  const response = await sendRequest({ method: "PUT", url: url.href, body, signal, onProgress });
  if (response.status < 300) return;
  // The URL may have expired; the next try requests another.
  if (response.status === 403) throw new TemporaryFailure(texts.refused, "");
  if (url.origin === location.origin) read(response);
  throw toFailure(response.status, response.retryAfter);
}
