/**
 * Sends a large file in parts, several at the same time, each with its SHA-256. Continues an earlier session of the same file, and sends only its
 * missing parts.
 */
import { upload as texts } from "#texts/site";
import type { BodyLimit } from "../../../../src/transfer/body-limit.ts";
import { BodyRefused, TemporaryFailure } from "../../../../src/transfer/failures.ts";
import type { Gate } from "../../../../src/transfer/gate.ts";
import { planPartSize } from "../../../../src/transfer/plan-parts.ts";
import { newRandomId } from "../../../../src/transfer/retry.ts";
import type { Semaphore } from "../../../../src/transfer/semaphore.ts";
import { type ConnectionSpeed, sendParts } from "../../../../src/transfer/send-parts.ts";
import type { Digester } from "./digest.ts";
import type { Encryptor } from "./encryption/encryptor.ts";
import { PermanentFailure, toFailure, Unreachable } from "./failures.ts";
import { ContentChanged, encryptedSource, type FilePart, type PartSource, plainSource, type SealedState } from "./part-source.ts";
import type { Content, ResumeRecord, ResumeRecords } from "./resume-records.ts";
import { createRetry } from "./retry.ts";
import { sendRequest } from "./transport.ts";
import {
  abortSession,
  completeSession,
  createSession,
  getSession,
  isRefused,
  readSent,
  requestPartUrls,
  toTargetFields,
  type UploadSession,
  type UploadTarget,
} from "./upload-api.ts";

export interface PartsContext {
  readonly target: UploadTarget;
  /** The site's configured URL. The page may be open under another name. */
  readonly siteUrl: string;
  readonly signal: AbortSignal;
  readonly gate: Gate;
  readonly digester: Digester;
  /** Encrypts the file; undefined if it is sent as it is. */
  readonly encryptor: Encryptor | undefined;
  /** The semaphore of requests with bytes. */
  readonly connections: Semaphore;
  readonly memory: ResumeRecords;
  readonly limit: BodyLimit;
  readonly speed: ConnectionSpeed;
  /** Receives the reason of a wait, or an empty text when the wait ends. */
  onWait(reason: string): void;
}

export interface LargeFile {
  readonly path: string;
  readonly file: File;
  /** The ID of the folder of the owner's file; undefined: none. */
  readonly folderId?: string | undefined;
  /** Receives the number of sent bytes, including those that were stored before; after a failure, the stored bytes. */
  onSent(bytes: number): void;
  /** Runs if parts were stored before. */
  onResumed(): void;
}

/**
 * Sends the file. Resolves to the sent content; undefined for an encrypted file. Rejects with a sentence for people, with `Unreachable`, with
 * `BodyRefused` if a proxy refuses all parts, or with the signal's reason.
 */
export async function sendInParts(large: LargeFile, context: PartsContext): Promise<Content | undefined> {
  const retry = createRetry(context);
  let refusedBytes = Number.POSITIVE_INFINITY;
  let isBegunAgain = false;
  for (;;) {
    const opened = await retry(({ signal }) => openSession(large, context, signal));
    const { session, source } = opened;
    const endSession = async (): Promise<void> => {
      await abortSession(session, AbortSignal.any([context.signal, AbortSignal.timeout(ABORT_MS)])).catch(() => undefined);
      await context.memory.save(large.path, {});
    };
    try {
      const content = await sendAll(large, opened, context);
      await retry(({ signal }) => completeSession(session, signal));
      return content;
    } catch (error) {
      if (error instanceof ContentChanged) {
        await endSession();
        // A file that is being written would begin again without end.
        if (isBegunAgain) throw new PermanentFailure(texts.changed);
        isBegunAgain = true;
        continue;
      }
      const partBytes = Math.min(session.chunkSize, source.sizeBytes);
      if (!(error instanceof BodyRefused) || partBytes >= refusedBytes || !context.limit.lower(partBytes)) throw error;
      // The part size of a session is fixed, so the next session has smaller parts.
      refusedBytes = partBytes;
      await endSession();
    }
  }
}

/** The longest wait for an abort. A session that is not aborted expires. */
const ABORT_MS = 10_000;

interface OpenSession {
  readonly session: UploadSession;
  /** The SHA-256 of each stored part, by its number. */
  readonly stored: ReadonlyMap<number, string>;
  readonly source: PartSource;
}

/** Returns the session remembered for the file, or a new one. An encrypted file continues only with its remembered encryption. */
async function openSession(large: LargeFile, context: PartsContext, signal: AbortSignal): Promise<OpenSession> {
  const { memory, encryptor } = context;
  const remembered = await memory.find(large.path);
  if (remembered?.uploadId && (encryptor === undefined || remembered.sealed)) {
    try {
      const session = await getSession(remembered.uploadId, signal);
      const stored = new Map(session.parts.map(({ partNumber, sha256 }) => [partNumber, sha256]));
      return { session, stored, source: openSource(large, remembered, context) };
    } catch (error) {
      // The session no longer exists.
      if (!isRefused(error)) throw error;
    }
  }
  // The key of the request for a session is remembered until its response arrives. If the response is lost, repeating the request with the same key
  // returns the same session.
  const lost = remembered?.uploadId ? undefined : remembered;
  const key = lost?.initKey ?? newRandomId();
  const partSize = lost?.partSize ?? planPartSize(large.file.size, context.speed.bytesPerSecond, context.limit.maxBytes);
  const sealed = encryptor && (lost?.sealed ?? (await beginSealing(large, encryptor)));
  await memory.save(large.path, { initKey: key, partSize, sealed });
  const { path, name, sizeBytes, type } = openSource(large, { sealed }, context);
  const file = { fileName: name, fileSize: sizeBytes, fileType: type, partSize };
  const body = { ...file, ...Object.fromEntries(toTargetFields(context.target, large.folderId)), relativePath: path };
  const session = await createSession(body, { key, signal });
  const begun = { uploadId: session.uploadId, sealed };
  await memory.save(large.path, begun);
  return { session, stored: new Map(), source: openSource(large, begun, context) };
}

async function beginSealing(large: LargeFile, encryptor: Encryptor): Promise<SealedState> {
  const begun = await encryptor.begin(large);
  if (begun === null) throw new PermanentFailure(texts.changed);
  return { ...begun, digests: {} };
}

function openSource(large: LargeFile, { uploadId, sealed }: ResumeRecord, { encryptor, digester, memory }: PartsContext): PartSource {
  if (encryptor === undefined || sealed === undefined) return plainSource(large, digester);
  return encryptedSource(large, sealed, { encryptor, save: (sealed) => memory.save(large.path, { uploadId, sealed }) });
}

async function sendAll(large: LargeFile, { session, stored, source }: OpenSession, context: PartsContext): Promise<Content | undefined> {
  const { siteUrl, connections, speed, signal } = context;
  const sent: string[] = [];
  let isResumed = stored.size > 0;
  await sendParts<FilePart>({
    ...session,
    stored,
    groupBytes: source.groupBytes,
    slice: (start, end) => ({ start, end: Math.min(end, source.sizeBytes), size: Math.min(end, source.sizeBytes) - start }),
    async digests(parts) {
      const digests = await source.digests(parts);
      sent.push(...digests.filter((digest) => digest !== null));
      for (const [index, part] of parts.entries())
        if (stored.get(part.start / session.chunkSize + 1) === digests[index]) source.release(part);
      return digests;
    },
    requestUrls: (digests, signal) => requestPartUrls(session, digests, signal),
    async put(url, part, { signal, onProgress }) {
      await putPart(toReachableUrl(url, siteUrl), await source.bytes(part), signal, onProgress);
      source.release(part);
    },
    checkSource: (part) => source.check(part),
    isOtherOrigin: (url) => toReachableUrl(url, siteUrl).origin !== location.origin,
    errors: { changed: () => new PermanentFailure(texts.changed), unreachable: () => new Unreachable(texts.unreachable) },
    signal,
    createRetry: (signal) => createRetry({ ...context, signal }),
    connections,
    speed,
    onSent: (bytes) => {
      large.onSent(bytes);
      // The first bytes were stored before.
      if (isResumed) large.onResumed();
      isResumed = false;
    },
  });
  // The digests of encrypted parts do not identify the content of the file.
  return context.encryptor ? undefined : { partBytes: session.chunkSize, digests: sent };
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
  // The URL may have expired, and the next try requests a new one.
  const expired = new TemporaryFailure(texts.refused, "");
  if (url.origin !== location.origin) throw response.status === 403 ? expired : toFailure(response.status, response.retryAfter);
  try {
    readSent(response);
  } catch (error) {
    throw error instanceof PermanentFailure && error.status === 403 ? expired : error;
  }
}
