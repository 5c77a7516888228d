import { sendThenCheckSource, TemporaryFailure } from "./failures.ts";
import { planParallelParts } from "./plan-parts.ts";
import type { Retry } from "./retry.ts";
import type { Semaphore } from "./semaphore.ts";

/** The bytes of parts whose digests and URLs are prepared together, in one request that counts against the rate. */
const GROUP_BYTES = 64 * 1024 * 1024;

/** The SHA-256 of each part, by its number. */
export type PartDigests = Readonly<Record<number, string>>;
/** The signed URL of each part, by its number. */
export type PartUrls = Readonly<Record<number, string>>;

/** The measured speed of the connection, shared by the transfers of a client. */
export interface ConnectionSpeed {
  /** The speed of the latest part; 0 until one is known. */
  bytesPerSecond: number;
}

export interface PartsUpload<Slice extends { readonly size: number }> {
  /** The size of each part except the last, in bytes. */
  readonly chunkSize: number;
  readonly totalParts: number;
  /** The SHA-256 of each part that was stored before, by its number. */
  readonly stored: ReadonlyMap<number, string>;
  /** The bytes of parts that are prepared together; default: 64 MB. */
  readonly groupBytes?: number | undefined;
  /** Returns a slice of the file. `end` may be behind the end of the file. */
  slice(start: number, end: number): Slice;
  /** Resolves to one digest for each slice; null for a slice that has changed or cannot be read. */
  digests(slices: readonly Slice[]): Promise<readonly (string | null)[]>;
  requestUrls(digests: PartDigests, signal: AbortSignal): Promise<PartUrls>;
  put(url: string, slice: Slice, sending: { readonly signal: AbortSignal; onProgress(bytes: number): void }): Promise<void>;
  /** Rejects if the file has changed, or the slice cannot be read. */
  checkSource(slice: Slice): Promise<void>;
  /** Whether a URL leads to a store that this client may be unable to reach. */
  isOtherOrigin(url: string): boolean;
  /** Makes the errors of a changed file, and of an unreachable store. */
  readonly errors: { changed(): Error; unreachable(url: string): Error };
  readonly signal: AbortSignal;
  createRetry(signal: AbortSignal): Retry;
  /** The semaphore of requests with bytes. */
  readonly connections: Semaphore;
  readonly speed: ConnectionSpeed;
  /** Receives the number of sent bytes, including those that were stored before; after a failure, the stored bytes. */
  onSent(bytes: number): void;
}

/**
 * Sends the missing parts of an upload, several at the same time, each with its SHA-256. Rejects with the first failure of a part after the others
 * have ended; with `BodyRefused` if a proxy refuses parts of this size.
 */
export async function sendParts<Slice extends { readonly size: number }>(upload: PartsUpload<Slice>): Promise<void> {
  const { chunkSize, totalParts, stored, errors, connections, speed, groupBytes = GROUP_BYTES } = upload;
  const groupParts = Math.max(1, Math.floor(groupBytes / chunkSize));
  // Stops the other parts when one fails.
  const failing = new AbortController();
  const signal = AbortSignal.any([upload.signal, failing.signal]);
  const retry = upload.createRetry(signal);
  const sent = new Map<number, number>();
  /** The unfinished and the failed parts. */
  const sending = new Set<Promise<void>>();
  let doneBytes = 0;

  const slice = (number: number): Slice => upload.slice((number - 1) * chunkSize, number * chunkSize);
  const countSent = (): number => doneBytes + [...sent.values()].reduce((sum, bytes) => sum + bytes, 0);
  const report = () => upload.onSent(countSent());

  /** Hashes the next parts while the previous ones are sent. */
  async function prepare(first: number): Promise<{ digests: PartDigests; urls: PartUrls }> {
    signal.throwIfAborted();
    const numbers = Array.from({ length: Math.min(groupParts, totalParts - first + 1) }, (_, index) => first + index);
    const found = await upload.digests(numbers.map(slice));
    signal.throwIfAborted();
    const digests: Record<number, string> = {};
    for (const [index, number] of numbers.entries()) {
      const digest = found[index];
      if (typeof digest !== "string") throw errors.changed();
      if (stored.get(number) === digest) continue;
      digests[number] = digest;
      // The stored part has other bytes than the file.
      if (stored.has(number)) doneBytes -= slice(number).size;
    }
    report();
    if (Object.keys(digests).length === 0) return { digests, urls: {} };
    return { digests, urls: await retry(({ signal }) => upload.requestUrls(digests, signal)) };
  }

  async function sendPart(number: number, digest: string, firstUrl: string): Promise<void> {
    const bytes = slice(number);
    let url = firstUrl;
    let tries = 0;
    await retry(async ({ index, signal, onAlive }) => {
      // The previous URL may have expired.
      if (index > 0) url = (await upload.requestUrls({ [number]: digest }, signal))[number] ?? url;
      const started = { ms: performance.now(), bytes: countSent() };
      const onProgress = (sentBytes: number) => {
        onAlive();
        sent.set(number, sentBytes);
        report();
      };
      try {
        const check = () => upload.checkSource(bytes);
        const canShrink = doneBytes === 0 && !upload.isOtherOrigin(url);
        await sendThenCheckSource({ tries: tries++, sizeBytes: bytes.size, canShrink, signal, check }, () =>
          upload.put(url, bytes, { signal, onProgress }),
        );
      } catch (error) {
        sent.delete(number);
        report();
        if (error instanceof TemporaryFailure && upload.isOtherOrigin(url) && doneBytes === 0 && index > 0) throw errors.unreachable(url);
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
        await connections.acquire();
        const part = sendPart(number, digest, url).finally(() => connections.release());
        sending.add(part);
        part.then(
          () => sending.delete(part),
          (error) => failing.abort(error),
        );
        // The first part is sent alone, to find out whether the store can be reached.
        if (doneBytes === 0 && upload.isOtherOrigin(url)) await part;
      }
    }
    await Promise.all(sending);
  }

  for (const number of stored.keys()) doneBytes += slice(number).size;
  report();
  try {
    await sendGroups();
  } catch (error) {
    failing.abort(error);
    await Promise.allSettled(sending);
    throw error;
  }
}
