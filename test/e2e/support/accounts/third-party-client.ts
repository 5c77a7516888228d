import assert from "node:assert/strict";
import { request } from "node:http";
import { type Body, call, type Upload } from "../api/api.ts";
import { sha256 } from "../uploads/multipart.ts";

type Server = { readonly url: string };

export interface ClientOptions {
  readonly key?: string;
  readonly idempotencyKey?: string;
  readonly folderId?: string;
  /** Publish fields, and other fields that some servers support. */
  readonly fields?: object;
}

export interface Reply {
  readonly ok: boolean;
  readonly status: number;
  readonly body: Body & { readonly data: Readonly<Record<string, unknown>> };
}

/** Sends a request with the headers of such clients: `Accept`, `User-Agent`, the key as bearer, and `Content-Type` for JSON. */
export async function send(server: Server, method: string, path: string, options: ClientOptions & { json?: unknown } = {}): Promise<Reply> {
  const { key, idempotencyKey, json } = options;
  const named: Record<string, string> = idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey };
  const headers = { Accept: "application/json", "User-Agent": "some-client/0.3.0", ...named };
  const { status, body } = await call<Reply["body"]>(server, method, `/api${path}`, { key, headers, json });
  return { ok: status >= 200 && status < 300, status, body };
}

export async function sendOk(
  server: Server,
  method: string,
  path: string,
  options: ClientOptions & { json?: unknown } = {},
): Promise<Reply> {
  const reply = await send(server, method, path, options);
  assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply;
}

/** Uploads a small file as a form, with all fields as text and unknown ones included. */
export async function uploadForm(
  server: Server,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  options: ClientOptions = {},
): Promise<Upload> {
  const form = new FormData();
  form.append("file", new Blob([bytes], { type: "application/octet-stream" }), name);
  if (options.folderId) form.append("folderId", options.folderId);
  for (const [field, value] of Object.entries(options.fields ?? {})) form.append(field, String(value));
  const headers: Record<string, string> = options.idempotencyKey ? { "Idempotency-Key": options.idempotencyKey } : {};
  const { status, body } = await call<{ data: Upload }>(server, "POST", "/api/files/upload", { key: options.key, headers, body: form });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

type PutPart = (url: string, bytes: Uint8Array<ArrayBuffer>) => Promise<string>;

/** PUTs the bytes without headers of the API; resolves to the ETag without its quotes. */
const putBytes: PutPart = async (url, bytes) => {
  const response = await fetch(url, { method: "PUT", body: bytes });
  assert.ok(response.ok, await response.text());
  const etag = response.headers.get("etag");
  assert.ok(etag);
  return etag.replaceAll('"', "");
};

/** PUTs the bytes as a stream with a declared length and type; resolves to the ETag without its quotes. */
export const putStream: PutPart = (url, bytes) =>
  new Promise((resolve, reject) => {
    const headers = { "Content-Length": bytes.length, "Content-Type": "application/octet-stream" };
    const put = request(url, { method: "PUT", headers }, (response) => {
      response.resume();
      const { etag } = response.headers;
      if (response.statusCode === 200 && etag !== undefined) resolve(etag.replaceAll('"', ""));
      else reject(new Error(`the part got status ${response.statusCode}`));
    });
    put.on("error", reject);
    for (let at = 0; at < bytes.length; at += 65_536) put.write(bytes.subarray(at, at + 65_536));
    put.end();
  });

/**
 * Uploads a large file: init, URLs for all parts in one call, the parts, complete. Only `complete` has the publish fields, and its `Idempotency-Key`
 * is the key of `init` with a suffix.
 */
export async function uploadParts(
  server: Server,
  fileName: string,
  bytes: Uint8Array<ArrayBuffer>,
  { put = putBytes, ...options }: ClientOptions & { readonly put?: PutPart } = {},
): Promise<Upload & Reply["body"]["data"]> {
  const { key: apiKey, idempotencyKey } = options;
  const contentType = "application/octet-stream";
  const fileSize = bytes.length;
  const folderId = options.folderId ?? null;
  const { body: session } = await sendOk(server, "POST", "/files/multipart/init", {
    key: apiKey,
    idempotencyKey,
    json: { fileName, fileSize, fileType: contentType, folderId },
  });
  const { uploadId, key, chunkSize, totalParts } = session as unknown as Session;
  const parts = Array.from({ length: totalParts }, (_, index) => bytes.subarray(index * chunkSize, (index + 1) * chunkSize));
  const partDigests = Object.fromEntries(parts.map((part, index) => [index + 1, sha256(part)]));
  const { body: partUrls } = await sendOk(server, "POST", "/files/multipart/batch-urls", {
    key: apiKey,
    json: { key, uploadId, totalParts, partDigests },
  });
  const etags = await Promise.all(parts.map((part, index) => put(partUrls.urls?.[index + 1] ?? "", part)));
  const { body } = await sendOk(server, "POST", "/files/multipart/complete", {
    key: apiKey,
    idempotencyKey: idempotencyKey && `${idempotencyKey}:complete`,
    json: {
      key,
      uploadId,
      parts: etags.map((etag, index) => ({ partNumber: index + 1, etag })),
      fileName,
      fileSize,
      contentType,
      folderId,
      ...options.fields,
    },
  });
  assert.deepEqual(body.file, body.data, "some clients read `file`, others `data`");
  return body.data as Upload & Reply["body"]["data"];
}

interface Session {
  readonly uploadId: string;
  readonly key: string;
  readonly chunkSize: number;
  readonly totalParts: number;
}

/** Calls `GET /files/download/{id}`, then downloads the bytes from the signed URL. */
export async function downloadBytes(
  server: Server,
  fileId: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { body } = await sendOk(server, "GET", `/files/download/${fileId}?${new URLSearchParams(query)}`);
  assert.equal(body.data, undefined, "some clients take any `data.url` for a payment link");
  const response = await fetch(String(body.url));
  assert.equal(response.status, 200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  assert.equal(response.headers.get("content-length"), String(bytes.length));
  return bytes;
}
