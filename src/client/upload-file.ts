import { createHash } from "node:crypto";
import { DIRECT_UPLOAD } from "../contract/scalars.ts";
import type { Output, RequestInput } from "../service/contract.ts";
import { newKey } from "../transfer/retry.ts";
import type { ActiveUpload, FileUpload, UploadContext } from "./active-upload.ts";
import { fileChanged } from "./local-file.ts";
import type { RemoteApi } from "./remote-api.ts";
import { createRequestRetry, withoutRetry } from "./retry.ts";
import { NO_UPLOAD_MEMORY } from "./upload-memory.ts";
import { uploadInParts } from "./upload-parts.ts";

/**
 * Uploads a file: a small one in one request, a larger one in parts, several at the same time. Broken connections are repeated, and an upload
 * that a process did not end is continued by the next with the same file, name and settings. Rejects with the server's error, or CONFLICT if the
 * file changes meanwhile.
 */
export async function uploadFile(upload: FileUpload, context: UploadContext): Promise<Output<"uploadFile">> {
  const { api } = context;
  // A caller's key is all that a repetition needs.
  const memory = upload.idempotencyKey === undefined ? context.memory : NO_UPLOAD_MEMORY;
  // Later, a server that does not respond is waited for.
  const server = await api.findServer();
  const id = identify(upload, api);
  const remembered = upload.idempotencyKey === undefined ? await memory.find(id) : { initKey: upload.idempotencyKey };
  const active: ActiveUpload = { ...upload, ...context, memory, server, id, remembered };
  try {
    const isWhole = upload.file.sizeBytes <= DIRECT_UPLOAD.maxFileBytes && !AMBIGUOUS_NAME.test(upload.fileName);
    const uploaded = await (isWhole ? uploadWhole(active) : uploadInParts(active));
    await context.onStored?.(uploaded);
    await memory.forget(id);
    return uploaded;
  } catch (error) {
    throw withoutRetry(error);
  }
}

/** In a form, these stand for characters that it cannot have in a name. */
const AMBIGUOUS_NAME = /%(?:22|0d|0a)/i;

/** The same for a repetition of the same upload. */
function identify({ file, fileName, fields }: FileUpload, api: RemoteApi): string {
  const settings = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([api.identify(), file.version, fileName, settings, file.variant]))
    .digest("hex");
}

async function uploadWhole(upload: ActiveUpload): Promise<Output<"uploadFile">> {
  const { api, file, fileName, fields, memory, id, signal, remembered } = upload;
  const bytes = new Uint8Array(file.sizeBytes);
  if ((await file.read(bytes, 0)) < bytes.length) throw fileChanged();
  await file.checkUnchanged();
  const { initKey: idempotencyKey } = remembered ?? (await memory.begin(id, { initKey: newKey() }));
  const input = { ...fields, file: { name: fileName, type: undefined, bytes } } as RequestInput<"uploadFile">;
  const uploaded = await createRequestRetry(
    signal,
    upload.onWait,
  )(({ signal }) => api.call("uploadFile", input, { idempotencyKey, signal }));
  upload.onProgress(bytes.length);
  return uploaded;
}
