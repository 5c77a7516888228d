import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { TestServer } from "../../../support/server.ts";
import { until } from "../../../support/until.ts";
import { call, signedUrl, type Upload, type UploadForm, upload } from "../api/api.ts";
import { startPlainServer } from "../servers/plain-server.ts";
import { someBytes } from "./multipart.ts";

type Server = { readonly url: string };

/** Uploads a file of any size like `curl -T`; resolves to the upload's data. */
export async function putFile(server: Server, path: string, bytes: string | Uint8Array<ArrayBuffer>, key?: string): Promise<Upload> {
  const { status, body } = await call<{ readonly data: Upload }>(server, "PUT", path, {
    ...(key !== undefined && { key }),
    body: bytes,
    headers: { Accept: "application/json" },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Downloads a file by a signed URL, after its digest is known; resolves to the SHA-256 of the bytes. */
export async function downloadDigest(server: Server, fileId: string): Promise<string> {
  const url = await until("the file can be downloaded", () => signedUrl(server, fileId));
  const response = await fetch(atServer(server, url));
  if (response.status !== 200) assert.fail(`${response.status} ${await response.text()}`);
  const hash = createHash("sha256");
  for await (const chunk of response.body ?? []) hash.update(chunk);
  return hash.digest("hex");
}

/** Rewrites a signed URL to the server's current port, which a restart may have changed. */
export function atServer(server: Server, url: string): string {
  const { pathname, search } = new URL(url);
  return server.url + pathname + search;
}

/** A server with a file, its bytes and a signed URL of it. */
export interface ServerWithFile extends TestServer {
  readonly file: Upload;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly signedUrl: string;
}

/** Starts a server with a file named `some.bin` of this size. */
export async function startServerWithFile(sizeBytes: number, form: UploadForm = {}): Promise<ServerWithFile> {
  const server = await startPlainServer();
  const bytes = someBytes(sizeBytes);
  const file = await upload(server, { name: "some.bin", bytes, ...form });
  return Object.assign(server, { file, bytes, signedUrl: await signedUrl(server, file.id) });
}
