import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Answer, call, type Upload } from "./api.ts";
import type { Session } from "./multipart.ts";

type Server = { readonly url: string };

/** As `curl -T` does, of any size; resolves to what the upload answers. */
export async function putFile(server: Server, path: string, bytes: string | Uint8Array<ArrayBuffer>, key?: string): Promise<Upload> {
  const { status, body } = await call<{ readonly data: Upload }>(server, "PUT", path, {
    ...(key !== undefined && { key }),
    body: bytes,
    headers: { Accept: "application/json" },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Downloads as a recipient does, by way of a signed address; resolves to the SHA-256 of the bytes. */
export async function downloadDigest(server: Server, fileId: string): Promise<string> {
  const { status, body } = await call(server, "GET", `/api/files/download/${fileId}`);
  assert.equal(status, 200, JSON.stringify(body));
  const response = await fetch(here(server, body.url ?? ""));
  assert.equal(response.status, 200);
  const hash = createHash("sha256");
  for await (const chunk of response.body ?? []) hash.update(chunk);
  return hash.digest("hex");
}

/** A signed address at the port where the server listens now: a restart may have changed it. */
export function here(server: Server, url: string): string {
  const { pathname, search } = new URL(url);
  return server.url + pathname + search;
}

export interface ArrivedPart {
  readonly partNumber: number;
  readonly size: number;
  readonly sha256: string;
}

/** `GET /api/files/multipart/{uploadId}`: the parts that have arrived. */
export async function arrivedParts(server: Server, { uploadId }: Pick<Session, "uploadId">): Promise<readonly ArrivedPart[]> {
  const { status, body }: Answer<{ readonly data: { readonly parts: readonly ArrivedPart[] } }> = await call(
    server,
    "GET",
    `/api/files/multipart/${uploadId}`,
  );
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.parts;
}
