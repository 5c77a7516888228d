import { createHash } from "node:crypto";
import { DIRECT_UPLOAD } from "../../contract/scalars.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import { BodyRefused, sendThenCheckSource } from "../../transfer/failures.ts";
import { exceedsForm } from "../../transfer/plan-batch.ts";
import { newRandomId } from "../../transfer/retry.ts";
import { NO_UPLOAD_RECORDS, openBodyLimit, type UploadRecord } from "../records/upload-records.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { createRequestRetry, throwFailure, withoutRetry } from "../server/retry.ts";
import { proxyRefusalOf, toProxyError } from "../server/server-error.ts";
import type { ActiveUpload, FileUpload, UploadContext } from "./active-upload.ts";
import { identifySettings } from "./identify-settings.ts";
import { fileChanged } from "./local-file.ts";
import { beginning, uploadInParts } from "./upload-parts.ts";

/**
 * Uploads a file: a small one in one request, a larger one in parts, several at the same time. Repeats broken requests; the next process with the
 * same file, name and settings continues an unfinished upload. Rejects with the server's error, or CONFLICT if the file changes meanwhile.
 */
export async function uploadLocalFile(upload: FileUpload, context: UploadContext): Promise<Output<"uploadFile">> {
  const { api } = context;
  // The caller's key is enough for a repetition, so nothing is remembered.
  const records = upload.idempotencyKey === undefined ? context.records : NO_UPLOAD_RECORDS;
  // The first request fails if the server does not respond; later ones wait for it.
  const server = await api.discoverServer();
  const id = identify(upload, api, context.hasOwnLink === true);
  const found = upload.idempotencyKey === undefined ? await records.find(id) : { initKey: upload.idempotencyKey };
  const remembered = await continueChanged(found, { ...upload, ...context, records, id });
  const limit = context.limit ?? (await openBodyLimit(server, context.records));
  const active: ActiveUpload = { ...upload, ...context, records, server, limit, id, remembered };
  try {
    const { sizeBytes } = upload.file;
    const isWhole =
      latestUploadId(remembered) === undefined &&
      sizeBytes <= DIRECT_UPLOAD.maxFileBytes &&
      !AMBIGUOUS_NAME.test(upload.fileName) &&
      !exceedsForm(sizeBytes, limit.maxBytes);
    const uploaded = await (isWhole
      ? uploadWhole(active).catch((error: unknown) => inPartsIfRefused(active, error))
      : uploadInParts(active));
    await context.onStored?.(uploaded);
    await records.forget(id);
    return uploaded;
  } catch (error) {
    throw error instanceof BodyRefused ? toProxyError(error) : withoutRetry(error);
  }
}

/** Uploads in parts if a proxy refused the whole file in one request. */
async function inPartsIfRefused(upload: ActiveUpload, error: unknown): Promise<Output<"uploadFile">> {
  if (proxyRefusalOf(error) === undefined) throw error;
  upload.limit.lower(upload.file.sizeBytes);
  return await uploadInParts(upload);
}

/** Sequences that forms use in place of characters that a name cannot contain. */
const AMBIGUOUS_NAME = /%(?:22|0d|0a)/i;

/** Returns the ID of the remembered upload in parts, or of the upload that it is about to replace. */
const latestUploadId = (remembered: UploadRecord | undefined): string | undefined => remembered?.uploadId ?? remembered?.replaces;

/**
 * Prepares the remembered upload of a file that may have changed since. With the same size, it continues, and parts with other bytes are sent again;
 * with another size, a new upload replaces it under its link. An encrypted upload is removed and forgotten.
 */
async function continueChanged(
  found: UploadRecord | undefined,
  { api, file, fields, records, id, onChanged, onAborted }: FileUpload & UploadContext & { readonly id: string },
): Promise<UploadRecord | undefined> {
  if (found?.version === undefined || found.version === file.version) return found;
  const uploadId = latestUploadId(found);
  await records.forget(id);
  if (uploadId === undefined) return undefined;
  const session = await api.call("getMultipart", { uploadId }).catch(() => undefined);
  if (session === undefined) return undefined;
  const isSameSize = found.uploadId !== undefined && found.sizeBytes === file.sizeBytes;
  // Files of a submission share one link.
  if (file.variant === undefined && (isSameSize || fields.requestToken === undefined)) {
    if (isSameSize) onChanged?.("continued");
    const current = { version: file.version, sizeBytes: file.sizeBytes };
    const continued = isSameSize ? { ...found, ...current } : { initKey: newRandomId(), ...current, replaces: uploadId };
    await records.save(id, continued);
    return continued;
  }
  onChanged?.("newLink");
  await api.call("abortMultipart", { uploadId, key: session.key }).catch(() => undefined);
  await onAborted?.(session);
  return undefined;
}

/** Identifies an upload. A repetition has the same identity. */
function identify({ file, fileName, fields }: FileUpload, api: RemoteApi, hasOwnLink: boolean): string {
  const settings = identifySettings(fields);
  return createHash("sha256")
    .update(JSON.stringify([api.identify(), hasOwnLink ? file.path : file.version, fileName, settings, file.variant]))
    .digest("hex");
}

async function uploadWhole(upload: ActiveUpload): Promise<Output<"uploadFile">> {
  const { api, file, fileName, fields, attributes, records, id, signal, remembered } = upload;
  const bytes = new Uint8Array(file.sizeBytes);
  if ((await file.read(bytes, 0)) < bytes.length) throw fileChanged();
  await file.checkUnchanged();
  const { initKey: idempotencyKey } = remembered ?? (await records.begin(id, beginning(upload)));
  const input = { ...fields, ...attributes, file: { name: fileName, type: undefined, bytes } } as RequestInput<"uploadFile">;
  let tries = 0;
  const uploaded = await createRequestRetry(
    signal,
    upload.onWait,
  )(({ signal }) => {
    const source = { tries: tries++, sizeBytes: bytes.length, signal, check: async () => undefined };
    return sendThenCheckSource(source, () => api.call("uploadFile", input, { idempotencyKey, signal }).catch(throwFailure));
  });
  upload.onProgress(bytes.length);
  return uploaded;
}
