import { createHash } from "node:crypto";
import { PART_SIZE } from "../../contract/scalars.ts";
import { AppError } from "../../errors.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import { MIN_BODY_BYTES } from "../../transfer/body-limit.ts";
import { planPartSize } from "../../transfer/plan-parts.ts";
import { newRandomId } from "../../transfer/retry.ts";
import { Semaphore } from "../../transfer/semaphore.ts";
import { sendParts } from "../../transfer/send-parts.ts";
import type { UploadRecord } from "../records/upload-records.ts";
import { createRequestRetry, throwFailure } from "../server/retry.ts";
import { proxyRefusalOf } from "../server/server-error.ts";
import { abortIfUseless } from "./abort-upload.ts";
import type { ActiveUpload } from "./active-upload.ts";
import { type FileSlice, fileChanged } from "./local-file.ts";
import { createPartSender, hashSlices } from "./part-sender.ts";

const MAX_PARALLEL = 3;

interface OpenSession {
  readonly session: Output<"initMultipart">;
  /** The SHA-256 of each stored part, by its part number. */
  readonly stored: ReadonlyMap<number, string>;
  readonly isContinued: boolean;
}

/** Continues the remembered upload, or begins one. Its parts are smaller than the parts of a browser (uploads, "Uploads in parts"). */
export async function uploadInParts(upload: ActiveUpload, refusedBytes = Number.POSITIVE_INFINITY): Promise<Output<"uploadFile">> {
  const { limit, api, file, records, id, idempotencyKey, signal } = upload;
  const opened = await openSession(upload);
  const { session } = opened;
  try {
    return await sendSession(upload, opened);
  } catch (error) {
    if (opened.isContinued && hasSessionEnded(error)) return await beginAgain(upload, opened, error);
    if (proxyRefusalOf(error) === undefined) throw error;
    const partBytes = Math.min(session.chunkSize, file.sizeBytes);
    const canShrink = isUnshown(opened) && partBytes < refusedBytes && limit.lower(partBytes);
    if (!canShrink) {
      await abortIfUseless(upload, session, error);
      throw error;
    }
    // The part size of a session is fixed, so a new session has smaller parts. A link that an earlier run has shown stays the same.
    if (upload.remembered?.replaces !== undefined) {
      const remembered = { ...upload.remembered, initKey: newRandomId(), replaces: session.uploadId };
      await records.save(id, remembered);
      return await uploadInParts({ ...upload, remembered }, partBytes);
    }
    await api.call("abortMultipart", { uploadId: session.uploadId, key: session.key }, { signal }).catch(() => signal.throwIfAborted());
    await records.forget(id);
    const remembered = idempotencyKey === undefined ? undefined : { initKey: idempotencyKey };
    return await uploadInParts({ ...upload, remembered }, partBytes);
  }
}

/**
 * Whether the link is not reported yet, because a proxy may refuse the parts. It is reported after the first part is stored, because a session with
 * smaller parts has another link.
 */
const isUnshown = ({ session, stored }: OpenSession): boolean => session.chunkSize > MIN_BODY_BYTES && stored.size === 0;

/**
 * Begins again after the end of a session that had other parts. Throws IDEMPOTENCY_KEY_REUSED if the caller's key was for them, NOT_FOUND if its link
 * was reported.
 */
async function beginAgain(upload: ActiveUpload, { session }: OpenSession, cause: unknown): Promise<Output<"uploadFile">> {
  const { idempotencyKey, hasOwnLink, records, id } = upload;
  if (idempotencyKey !== undefined)
    throw new AppError("IDEMPOTENCY_KEY_REUSED", "This idempotencyKey was used for a file with other bytes. Send a new key.", { cause });
  if (!hasOwnLink) return await sendSession(upload, await openSession(upload, { isFresh: true }));
  if ((await records.find(id))?.uploadId === session.uploadId) await records.forget(id);
  throw shareEnded(cause);
}

/** Returns the error of an upload whose share was removed meanwhile. The person who removed it does not want it published again. */
const shareEnded = (cause: unknown): AppError =>
  new AppError(
    "NOT_FOUND",
    "The upload has ended: its share was removed or has expired meanwhile. To send the file under a new link, run the command again.",
    { cause },
  );

async function sendSession(upload: ActiveUpload, opened: OpenSession): Promise<Output<"uploadFile">> {
  try {
    return await sendRepeated(upload, opened);
  } catch (error) {
    if (proxyRefusalOf(error) === undefined) await abortIfUseless(upload, opened.session, error);
    throw error;
  }
}

async function sendRepeated(upload: ActiveUpload, opened: OpenSession): Promise<Output<"uploadFile">> {
  try {
    return await sendAndComplete(upload, opened);
  } catch (error) {
    if (!hasSessionEnded(error) && !isIncomplete(error)) throw error;
    // Another process may have completed the upload of the same file, or the server lost parts in a crash.
    const continued = await findOpenSession(upload, opened.session.uploadId);
    try {
      if (continued) return await sendAndComplete(upload, continued);
    } catch (again) {
      if (!hasSessionEnded(again)) throw again;
    }
    throw error;
  }
}

async function sendAndComplete(upload: ActiveUpload, opened: OpenSession): Promise<Output<"uploadFile">> {
  const { api, file, attributes, idempotencyKey, signal } = upload;
  const { uploadId, key } = opened.session;
  if (!isUnshown(opened)) await upload.onShare?.(opened.session);
  await sendAll(upload, opened);
  await file.checkUnchanged();
  const retry = createRequestRetry(signal, upload.onWait);
  return await retry(({ signal }) => api.call("completeMultipart", { ...attributes, uploadId, key }, { idempotencyKey, signal }));
}

/** Whether the session of an earlier upload has ended, or had parts of another file. */
const hasSessionEnded = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === "NOT_FOUND" || error.code === "UPLOAD_CLOSED");

const isIncomplete = (error: unknown): boolean => error instanceof AppError && error.code === "PARTS_MISSING";

/** Returns the state that is remembered when an upload begins. */
export const beginning = ({ file, hasOwnLink }: ActiveUpload): UploadRecord => ({
  initKey: newRandomId(),
  ...(hasOwnLink && { version: file.version, sizeBytes: file.sizeBytes }),
});

async function openSession(upload: ActiveUpload, { isFresh = false } = {}): Promise<OpenSession> {
  const { api, records, id, signal, file, fileName, fields } = upload;
  const retry = createRequestRetry(signal, upload.onWait);
  const own = beginning(upload);
  // Another process may begin the upload at the same time.
  const remembered = isFresh ? own : (upload.remembered ?? (await records.begin(id, own)));
  if (remembered.uploadId !== undefined) {
    const found = await findOpenSession(upload, remembered.uploadId);
    if (found) return found;
  }
  // An interrupted beginning is repeated with the same key, and returns the same session.
  const { initKey } = remembered.uploadId === undefined ? remembered : own;
  const isRepeated = initKey !== own.initKey;
  const { replaces } = remembered;
  if (!isRepeated) await records.save(id, own);
  const partSize = planPartSize(file.sizeBytes, 0, upload.limit.maxBytes);
  const settings = replaces === undefined ? fields : { replacesUploadId: replaces };
  const input = { ...settings, fileName, fileSize: file.sizeBytes, partSize } as RequestInput<"initMultipart">;
  const beginKey = keyForSize(upload, initKey, partSize);
  const begin = () => retry(({ signal }) => api.call("initMultipart", input, { idempotencyKey: beginKey, signal }));
  let session: Output<"initMultipart">;
  try {
    session = await begin();
  } catch (error) {
    if (replaces === undefined || !hasSessionEnded(error)) throw error;
    await records.forget(id);
    if (error.code === "NOT_FOUND") throw shareEnded(error);
    // An earlier run completed the upload, but did not receive the response.
    upload.onChanged?.("newLink");
    return await openSession({ ...upload, remembered: undefined });
  }
  if (replaces !== undefined) upload.onChanged?.("sameLink");
  await records.save(id, { ...own, initKey, uploadId: session.uploadId });
  const found = isRepeated ? await findOpenSession(upload, session.uploadId) : undefined;
  return found ?? { session: checked(session, file.sizeBytes), stored: new Map(), isContinued: false };
}

/**
 * Derives a key for another part size. A caller's key begins one upload, and the derived one an upload with smaller parts, which a repetition of the
 * call continues.
 */
function keyForSize({ idempotencyKey, file }: ActiveUpload, initKey: string, partSize: number): string {
  if (idempotencyKey === undefined || partSize === planPartSize(file.sizeBytes, 0)) return initKey;
  return createHash("sha256").update(`${idempotencyKey} ${partSize}`).digest("hex");
}

/** Finds the open session; undefined if it has ended. */
async function findOpenSession({ api, signal, file, onWait }: ActiveUpload, uploadId: string): Promise<OpenSession | undefined> {
  try {
    const session = await createRequestRetry(signal, onWait)(({ signal }) => api.call("getMultipart", { uploadId }, { signal }));
    const stored = new Map(session.parts.map(({ partNumber, sha256 }) => [partNumber, sha256]));
    return { session: checked(session, file.sizeBytes), stored, isContinued: true };
  } catch (error) {
    if (hasSessionEnded(error)) return undefined;
    throw error;
  }
}

/** Checks the parts of a session. Throws UNAVAILABLE if they do not match the file, or do not fit into the memory. */
function checked<Session extends OpenSession["session"]>(session: Session, sizeBytes: number): Session {
  const { chunkSize, totalParts } = session;
  const isPlausible = totalParts === Math.ceil(sizeBytes / chunkSize) && chunkSize <= Math.max(PART_SIZE.maxBytes, sizeBytes / 1000);
  if (isPlausible) return session;
  throw new AppError("UNAVAILABLE", "The server asks for parts that do not fit the file. Try again, or ask its administrator.");
}

async function sendAll(upload: ActiveUpload, opened: OpenSession): Promise<void> {
  const { session, stored } = opened;
  const { api, server, file, signal } = upload;
  const { uploadId, key, chunkSize, totalParts } = session;
  const sender = createPartSender({ file, server });
  const connections = new Semaphore(1);
  // The first part is sent alone, so that a slow connection completes one part instead of none of several.
  let isFirst = true;
  await sendParts<FileSlice>({
    chunkSize,
    totalParts,
    stored,
    slice: (start, end) => ({ start, size: Math.min(end, file.sizeBytes) - start }),
    digests: (slices) => hashSlices(file, slices, signal),
    requestUrls: async (partDigests, signal) => (await api.call("batchPartUrls", { uploadId, key, partDigests }, { signal })).urls,
    async put(url, slice, sending) {
      await sender.put(url, slice, sending).catch(throwFailure);
      if (isFirst && isUnshown(opened)) await upload.onShare?.(session);
      if (isFirst) for (let more = 1; more < MAX_PARALLEL; more += 1) connections.release();
      isFirst = false;
    },
    checkSource: () => file.checkUnchanged(),
    isOtherOrigin: (url) => server.reach(url).origin !== new URL(server.apiUrl).origin,
    errors: {
      changed: fileChanged,
      unreachable: (url) =>
        new AppError("UNAVAILABLE", `The store that receives the parts, ${server.reach(url).origin}, cannot be reached from this machine.`),
    },
    signal,
    createRetry: (signal) => createRequestRetry(signal, upload.onWait),
    connections,
    speed: { bytesPerSecond: 0 },
    onSent: (bytes) => upload.onProgress(bytes),
  });
}
