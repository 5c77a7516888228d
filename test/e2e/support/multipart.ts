import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Answer, type Body, type CallOptions, call, type Upload } from "./api.ts";

export const MB = 1024 ** 2;

export interface Session {
  readonly uploadId: string;
  readonly key: string;
  readonly chunkSize: number;
  readonly totalParts: number;
  readonly fileId: string;
  readonly shortId: string;
  readonly shareUrl: string;
  readonly expiresAt: string;
}

export interface Arrived {
  readonly partNumber: number;
  readonly etag: string;
}

type Server = { readonly url: string };

export const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Bytes that differ from place to place and from one `seed` to another. */
export function someBytes(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(createHash("sha512").update(String(seed)).digest());
  const bytes = new Uint8Array(length);
  for (let offset = 0; offset < length; offset += block.length) {
    bytes.set(block.subarray(0, Math.min(block.length, length - offset)), offset);
    bytes[offset] = offset % 251;
  }
  return bytes;
}

export const postInit = (server: Server, fields: object, options: CallOptions = {}): Promise<Answer<Body & { readonly data: Session }>> =>
  call(server, "POST", "/api/files/multipart/init", { ...options, json: fields });

/** Begins an upload that is taken. */
export async function init(server: Server, fields: object, options: CallOptions = {}): Promise<Session> {
  const { status, body } = await postInit(server, { fileName: "parts.bin", ...fields }, options);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

export const postUrls = (
  server: Server,
  session: Pick<Session, "uploadId" | "key">,
  partDigests: Record<string, string>,
  options: CallOptions = {},
): Promise<Answer> =>
  call(server, "POST", "/api/files/multipart/batch-urls", {
    ...options,
    json: { uploadId: session.uploadId, key: session.key, totalParts: 1, partDigests },
  });

/** Splits bytes as the session wants them; part n is at n - 1. */
export function split(bytes: Uint8Array<ArrayBuffer>, session: Session): Uint8Array<ArrayBuffer>[] {
  return Array.from({ length: session.totalParts }, (_, index) =>
    bytes.subarray(index * session.chunkSize, (index + 1) * session.chunkSize),
  );
}

/** An address for one part, bound to the digest of `bytes`. */
export async function partUrl(
  server: Server,
  session: Session,
  partNumber: number,
  bytes: Uint8Array,
  options: CallOptions = {},
): Promise<string> {
  const { status, body } = await postUrls(server, session, { [partNumber]: sha256(bytes) }, options);
  assert.equal(status, 200, JSON.stringify(body));
  return body.urls?.[partNumber] ?? "";
}

/** PUTs bytes to a part's address, whatever it answers. */
export async function putPart(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<Answer> {
  const response = await fetch(url, { method: "PUT", body: bytes });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

/** Sends all parts at once, and resolves with what a client tells `complete`. */
export async function sendParts(
  server: Server,
  session: Session,
  bytes: Uint8Array<ArrayBuffer>,
  options: CallOptions = {},
): Promise<Arrived[]> {
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
): Promise<Answer<Body & { readonly file: Upload; readonly data: Upload }>> =>
  call(server, "POST", "/api/files/multipart/complete", { ...options, json: { uploadId: session.uploadId, key: session.key, ...fields } });

export const postAbort = (server: Server, session: Pick<Session, "uploadId" | "key">, options: CallOptions = {}): Promise<Answer> =>
  call(server, "POST", "/api/files/multipart/abort", { ...options, json: { uploadId: session.uploadId, key: session.key } });

/** Init, parts and complete of a file that is taken. */
export async function uploadInParts(
  server: Server,
  bytes: Uint8Array<ArrayBuffer>,
  fields: object = {},
  options: CallOptions = {},
): Promise<Upload> {
  const session = await init(server, { fileSize: bytes.length, ...fields }, options);
  const parts = await sendParts(server, session, bytes, options);
  const { status, body } = await postComplete(server, session, { parts }, options);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Uploads of two parts of a MB, and what has arrived of them; `made` is asked with each call, since servers begin in a hook. */
export function partCalls(made: () => Server) {
  const bytes = someBytes(2 * MB);
  return {
    bytes,
    first: bytes.slice(0, MB),
    begin: () => init(made(), { fileSize: bytes.length, partSize: MB }),
    /** Number and SHA-256 of each part that is there. */
    async arrived({ uploadId }: Session) {
      type Parts = { data: { parts: readonly { partNumber: number; sha256: string }[] } };
      const { body } = await call<Parts>(made(), "GET", `/api/files/multipart/${uploadId}`);
      return body.data.parts.map((part) => [part.partNumber, part.sha256]);
    },
  };
}
