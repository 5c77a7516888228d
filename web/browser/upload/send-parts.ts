/**
 * Sends a large file in parts, several at the same time, each with its SHA-256. Continues an earlier session of the same file, and sends only
 * the parts that it lacks.
 */
import { upload as texts } from "#texts/upload.ts";
import {
  completeSession,
  createSession,
  findSession,
  isRefused,
  type PartDigests,
  read,
  requestPartUrls,
  toTargetFields,
  type UploadSession,
  type UploadTarget,
} from "./api.ts";
import type { Digester } from "./digest.ts";
import { Refusal, TemporaryFailure, toFailure, Unreachable } from "./failures.ts";
import type { Gate } from "./gate.ts";
import type { UploadMemory } from "./memory.ts";
import { planParallelParts, planPartSize } from "./plan-parts.ts";
import { createRetry, newKey } from "./retry.ts";
import type { Semaphore } from "./semaphore.ts";
import { sendRequest } from "./transport.ts";

/** Parts whose digests and URLs are prepared together, in one request that counts against the rate. */
const GROUP_BYTES = 64 * 1024 * 1024;

/** What the files of an upload learn of the line. */
export interface LineSpeed {
  /** Of the latest file; 0 until one is known. */
  bytesPerSecond: number;
}

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
  const { chunkSize, totalParts } = session;
  const { speed, lines } = context;
  const groupParts = Math.max(1, Math.floor(GROUP_BYTES / chunkSize));
  // Stops the other parts when one fails.
  const failing = new AbortController();
  const signal = AbortSignal.any([context.signal, failing.signal]);
  const retry = createRetry({ ...context, signal });
  const sent = new Map<number, number>();
  /** The unfinished parts, and the failed ones. */
  const sending = new Set<Promise<void>>();
  let doneBytes = 0;

  const slice = (number: number): Blob => large.file.slice((number - 1) * chunkSize, number * chunkSize);
  const countSent = (): number => doneBytes + [...sent.values()].reduce((sum, bytes) => sum + bytes, 0);
  const report = () => large.onSent(countSent());

  /** Hashes the next parts while the parts before them are sent. */
  async function prepare(first: number): Promise<{ digests: PartDigests; urls: Readonly<Record<number, string>> }> {
    signal.throwIfAborted();
    const numbers = Array.from({ length: Math.min(groupParts, totalParts - first + 1) }, (_, index) => first + index);
    const found = await context.digester.digests(numbers.map(slice));
    signal.throwIfAborted();
    const digests: Record<number, string> = {};
    for (const [index, number] of numbers.entries()) {
      const digest = found[index];
      if (typeof digest !== "string") throw new Refusal(texts.changed);
      if (stored.get(number) === digest) continue;
      digests[number] = digest;
      // The stored part has other bytes.
      if (stored.has(number)) doneBytes -= slice(number).size;
    }
    report();
    if (Object.keys(digests).length === 0) return { digests, urls: {} };
    return { digests, urls: await retry(({ signal }) => requestPartUrls(session, digests, signal)) };
  }

  async function sendPart(number: number, digest: string, firstUrl: string): Promise<void> {
    const bytes = slice(number);
    let url = firstUrl;
    await retry(async ({ index, signal, onAlive }) => {
      // The previous URL may have expired.
      if (index > 0) url = (await requestPartUrls(session, { [number]: digest }, signal))[number] ?? url;
      const target = toReachableUrl(url, context.siteUrl);
      const started = { ms: performance.now(), bytes: countSent() };
      try {
        await putPart(target, bytes, signal, (sentBytes) => {
          onAlive();
          sent.set(number, sentBytes);
          report();
        });
      } catch (error) {
        sent.delete(number);
        report();
        if (error instanceof TemporaryFailure && target.origin !== location.origin && doneBytes === 0 && index > 0) {
          throw new Unreachable(texts.unreachable);
        }
        throw error;
      }
      speed.bytesPerSecond = ((countSent() - started.bytes) * 1000) / (performance.now() - started.ms);
    });
    sent.delete(number);
    doneBytes += bytes.size;
    report();
  }

  async function sendGroups(): Promise<void> {
    let next = totalParts === 0 ? undefined : prepare(1);
    for (let first = 1; first <= totalParts; first += groupParts) {
      const group = await next;
      if (first + groupParts <= totalParts) {
        next = prepare(first + groupParts);
        next.catch(() => undefined);
      }
      for (const [key, digest] of Object.entries(group?.digests ?? {})) {
        const number = Number(key);
        const url = group?.urls[number] ?? "";
        while (sending.size >= planParallelParts(chunkSize, speed.bytesPerSecond)) await Promise.race(sending);
        await lines.acquire();
        const part = sendPart(number, digest, url).finally(() => lines.release());
        sending.add(part);
        part.then(
          () => sending.delete(part),
          (error) => failing.abort(error),
        );
        // The first part alone shows whether the store can be reached.
        if (doneBytes === 0 && toReachableUrl(url, context.siteUrl).origin !== location.origin) await part;
      }
    }
    await Promise.all(sending);
  }

  for (const number of stored.keys()) doneBytes += slice(number).size;
  report();
  if (stored.size > 0) large.onResumed();
  try {
    await sendGroups();
  } catch (error) {
    failing.abort(error);
    await Promise.allSettled(sending);
    throw error;
  }
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
