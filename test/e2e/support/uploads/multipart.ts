import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Output, ResponseOf } from "../../../../src/service/contract.ts";
import {
  type ApiResponse,
  type Body,
  type CallOptions,
  type ClientSettings,
  call,
  clientOf,
  type InputOf,
  type Upload,
} from "../api/api.ts";

export const MB = 1024 ** 2;

export type Session = Output<"initMultipart">;

export interface CompletePart {
  readonly partNumber: number;
  readonly etag: string;
}

type Server = { readonly url: string };

export const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Makes bytes that differ by position and by `seed`. */
export function someBytes(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(createHash("sha512").update(String(seed)).digest());
  const bytes = new Uint8Array(length);
  for (let offset = 0; offset < length; offset += block.length) {
    bytes.set(block.subarray(0, Math.min(block.length, length - offset)), offset);
    bytes[offset] = offset % 251;
  }
  return bytes;
}

export const postInit = (
  server: Server,
  fields: object,
  options: CallOptions = {},
): Promise<ApiResponse<Body & { readonly data: Session }>> =>
  call(server, "POST", "/api/files/multipart/init", { ...options, json: fields });

/** Creates an upload session; asserts that it is accepted. */
export async function init(server: Server, fields: object, options: CallOptions = {}): Promise<Session> {
  const input = { fileName: "parts.bin", ...fields } as InputOf<"initMultipart">;
  return (await clientOf(server, options).call("initMultipart", input)).data;
}

export const postUrls = (
  server: Server,
  session: Pick<Session, "uploadId" | "key">,
  partDigests: Record<string, string>,
  options: CallOptions = {},
): Promise<ApiResponse> =>
  call(server, "POST", "/api/files/multipart/batch-urls", {
    ...options,
    json: { uploadId: session.uploadId, key: session.key, totalParts: 1, partDigests },
  });

/** Requests the URLs of parts; rejects when the server refuses. */
export async function getPartUrls(
  server: Server,
  { uploadId, key }: Pick<Session, "uploadId" | "key">,
  partDigests: Record<string, string>,
  options?: ClientSettings,
): Promise<Record<string, string>> {
  return (await clientOf(server, options).call("batchPartUrls", { uploadId, key, partDigests })).urls;
}

/** Splits bytes into the session's parts; part n is at index n - 1. */
export function split(bytes: Uint8Array<ArrayBuffer>, session: Pick<Session, "chunkSize" | "totalParts">): Uint8Array<ArrayBuffer>[] {
  return Array.from({ length: session.totalParts }, (_, index) =>
    bytes.subarray(index * session.chunkSize, (index + 1) * session.chunkSize),
  );
}

/** Requests the URL of one part, which is bound to the digest of `bytes`. */
export async function partUrl(
  server: Server,
  session: Session,
  partNumber: number,
  bytes: Uint8Array,
  options: CallOptions = {},
): Promise<string> {
  const urls = await getPartUrls(server, session, { [partNumber]: sha256(bytes) }, options);
  return urls[partNumber] ?? "";
}

/** PUTs bytes to a part URL; resolves to any response. */
export async function putPart(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<ApiResponse> {
  const response = await fetch(url, { method: "PUT", body: bytes });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

/** Uploads all parts concurrently; resolves to the `parts` of complete. */
export async function sendParts(
  server: Server,
  session: Session,
  bytes: Uint8Array<ArrayBuffer>,
  options: CallOptions = {},
): Promise<CompletePart[]> {
  return await Promise.all(
    split(bytes, session).map(async (part, index) => {
      const { status, headers, body } = await putPart(await partUrl(server, session, index + 1, part, options), part);
      assert.equal(status, 200, JSON.stringify(body));
      return { partNumber: index + 1, etag: headers.get("etag") ?? "" };
    }),
  );
}

export const postComplete = (
  server: Server,
  session: Pick<Session, "uploadId" | "key">,
  fields: object = {},
  options: CallOptions = {},
): Promise<ApiResponse<Body & { readonly file: Upload; readonly data: Upload }>> =>
  call(server, "POST", "/api/files/multipart/complete", { ...options, json: { uploadId: session.uploadId, key: session.key, ...fields } });

/** Completes an upload session; rejects when the server refuses it. */
export async function complete(
  server: Server,
  { uploadId, key }: Pick<Session, "uploadId" | "key">,
  fields: Omit<InputOf<"completeMultipart">, "uploadId" | "key"> = {},
  options?: ClientSettings,
): Promise<Upload> {
  return (await clientOf(server, options).call("completeMultipart", { uploadId, key, ...fields })).data;
}

export const postAbort = (server: Server, session: Pick<Session, "uploadId" | "key">, options: CallOptions = {}): Promise<ApiResponse> =>
  call(server, "POST", "/api/files/multipart/abort", { ...options, json: { uploadId: session.uploadId, key: session.key } });

/** Aborts an upload session; rejects when the server refuses it. */
export const abort = (
  server: Server,
  { uploadId, key }: Pick<Session, "uploadId" | "key">,
  options?: ClientSettings,
): Promise<ResponseOf<"abortMultipart">> => clientOf(server, options).call("abortMultipart", { uploadId, key });

/** Uploads a file in parts, from init to complete; asserts that each step succeeds. */
export async function uploadInParts(
  server: Server,
  bytes: Uint8Array<ArrayBuffer>,
  fields: object = {},
  options: CallOptions = {},
): Promise<Upload> {
  const session = await init(server, { fileSize: bytes.length, ...fields }, options);
  const parts = await sendParts(server, session, bytes, options);
  return await complete(server, session, { parts }, options);
}

export type UploadedPart = Output<"getMultipart">["parts"][number];

/** Lists the stored parts of an upload session. */
export async function listUploadedParts(server: Server, { uploadId }: Pick<Session, "uploadId">): Promise<readonly UploadedPart[]> {
  return (await clientOf(server).call("getMultipart", { uploadId })).data.parts;
}

/** Makes calls for uploads of two parts of 1 MB each. `getServer` is called each time, because suites start their server in a hook. */
export function partCalls(getServer: () => Server) {
  const bytes = someBytes(2 * MB);
  return {
    bytes,
    first: bytes.slice(0, MB),
    initUpload: () => init(getServer(), { fileSize: bytes.length, partSize: MB }),
    /** Lists the number and SHA-256 of each stored part. */
    uploadedParts: async (session: Session) =>
      (await listUploadedParts(getServer(), session)).map((part) => [part.partNumber, part.sha256]),
  };
}
