import { AppError, type ErrorCode } from "../../errors.ts";
import { NO_UPLOAD_RECORDS } from "../records/upload-records.ts";
import { proxyRefusalOf } from "../server/server-error.ts";
import type { ActiveUpload, BegunUpload } from "./active-upload.ts";
import { isFileChanged } from "./local-file.ts";

/** Codes with which the server refuses to store these bytes, however often they are sent. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "VALIDATION_FAILED",
  "SIZE_MISMATCH",
  "FILE_DIGEST_MISMATCH",
  "QUOTA_EXCEEDED",
  "UNSUPPORTED_MEDIA_TYPE",
  "ENCRYPTED_REFUSED",
  "ENCRYPTION_REQUIRED",
]);
/** The longest wait for an abort, after which the error of the upload is reported. */
const TIMEOUT_MS = 10_000;

/**
 * Removes an upload in parts that no later process can continue, because its file has changed, the server or a proxy refuses it, or nothing remembers
 * it. Its link would show a file that never arrives. Keeps an upload that its caller repeats by an own key.
 */
export async function abortIfUseless(upload: ActiveUpload, share: BegunUpload, error: unknown): Promise<void> {
  const { api, records, id, signal, idempotencyKey, onAborted } = upload;
  if (idempotencyKey !== undefined) return;
  const isRemembered = records !== NO_UPLOAD_RECORDS;
  if (isRemembered && (signal.aborted || !(await isFinal(upload, share, error)))) return;
  const { uploadId, key } = share;
  try {
    await api.call("abortMultipart", { uploadId, key }, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (thrown) {
    // The server has removed a refused upload. Any other one expires.
    if (!(thrown instanceof AppError) || thrown.code !== "NOT_FOUND") return;
  }
  await records.forget(id);
  await onAborted?.(share);
}

async function isFinal({ api, file, signal }: ActiveUpload, { uploadId }: BegunUpload, error: unknown): Promise<boolean> {
  if (proxyRefusalOf(error) !== undefined) {
    // Stored parts are kept for a later run, in which the proxy may accept the others.
    const session = await api.call("getMultipart", { uploadId }, { signal }).catch(() => undefined);
    return session?.parts.length === 0;
  }
  if (!(error instanceof AppError)) return false;
  return isFileChanged(error) ? !(await file.hasSameVersion()) : REFUSALS.has(error.code);
}
