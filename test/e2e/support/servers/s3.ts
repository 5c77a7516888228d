import assert from "node:assert/strict";
import type { ListMultipartUploadsCommandOutput } from "@aws-sdk/client-s3";
import { openS3Bucket } from "../../../../src/blobs/s3/bucket.ts";
import { type ServerOptions, startServer, type TestServer } from "../../../support/server.ts";
import { s3Settings, type TestSwift } from "../../../support/services/swift.ts";
import { until } from "../../../support/until.ts";
import { type CompletePart, getPartUrls, type Session, sha256, split } from "../uploads/multipart.ts";

/** Starts a server that stores its bytes in a bucket: the bucket in `env`, or a new one. */
export async function startOnS3(swift: TestSwift, options: ServerOptions = {}): Promise<TestServer & { readonly bucket: string }> {
  const bucket = options.env?.FILEHOST_S3_BUCKET ?? (await swift.createBucket());
  const server = await startServer({
    ...options,
    env: {
      FILEHOST_SCANNER: "off",
      FILEHOST_STORAGE: "s3",
      ...s3Settings(swift, bucket),
      FILEHOST_S3_PREFIX: "files",
      ...options.env,
    },
  });
  return Object.assign(server, { bucket });
}

/** Waits until a server has detected that clients may send parts directly. Until then it proxies them. */
export async function waitForPresignedParts(server: TestServer, starts = 1): Promise<void> {
  await until("the store's capabilities are detected", () => uploadModeLogs(server).length >= starts);
  assert.match(uploadModeLogs(server).at(-1) ?? "", /^clients send parts directly to/);
}

/** Returns the log messages about how parts are sent, one per start. */
export const uploadModeLogs = (server: TestServer): string[] =>
  server.logs().flatMap(({ msg }) => (/^(?:parts pass through the server|clients send parts directly)/.test(msg ?? "") ? [msg ?? ""] : []));

/** Requests the URLs of the numbered parts of `bytes`, or of all, in order. */
export async function partUrls(
  server: { readonly url: string },
  session: Session,
  bytes: Uint8Array<ArrayBuffer>,
  numbers?: readonly number[],
): Promise<string[]> {
  const wanted = numbers ?? Array.from({ length: session.totalParts }, (_, index) => index + 1);
  const digests = split(bytes, session).map(sha256);
  const urls = await getPartUrls(server, session, Object.fromEntries(wanted.map((number) => [number, digests[number - 1] ?? ""])));
  return wanted.map((number) => urls[number] ?? "");
}

/** PUTs bytes without headers of the API. */
export async function putPlain(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<{ readonly status: number; readonly etag: string }> {
  const response = await fetch(url, { method: "PUT", body: bytes });
  await response.arrayBuffer();
  return { status: response.status, etag: response.headers.get("etag") ?? "" };
}

/** Uploads the numbered parts, or all, to their URLs; resolves to the `parts` of complete. */
export async function sendPlain(
  server: { readonly url: string },
  session: Session,
  bytes: Uint8Array<ArrayBuffer>,
  numbers?: readonly number[],
): Promise<CompletePart[]> {
  const wanted = numbers ?? Array.from({ length: session.totalParts }, (_, index) => index + 1);
  const urls = await partUrls(server, session, bytes, wanted);
  const parts = split(bytes, session);
  return await Promise.all(
    wanted.map(async (partNumber, index) => {
      const { status, etag } = await putPlain(urls[index] ?? "", parts[partNumber - 1] ?? new Uint8Array());
      assert.equal(status, 200);
      return { partNumber, etag };
    }),
  );
}

/** Lists the keys of a bucket's objects, without the marks of its store, and unfinished multipart uploads, in pages of `pageSize`. */
export async function listBucket(swift: TestSwift, bucket: string, pageSize = 2): Promise<{ objects: string[]; uploads: string[] }> {
  await using opened = await openS3Bucket({ ...swift, credentials: swift, bucket, prefix: "", pathStyle: true });
  const { s3 } = opened;
  const objects: string[] = [];
  for (let after = "", more = true; more; ) {
    const page = await s3.listObjectsV2({ Bucket: bucket, MaxKeys: pageSize, StartAfter: after });
    for (const { Key = "" } of page.Contents ?? []) objects.push(Key);
    more = page.IsTruncated === true;
    after = objects.at(-1) ?? after;
  }
  const uploads: string[] = [];
  let marker: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } = {};
  for (let more = true; more; ) {
    const page: ListMultipartUploadsCommandOutput = await s3.listMultipartUploads({ Bucket: bucket, MaxUploads: pageSize, ...marker });
    for (const { Key = "" } of page.Uploads ?? []) uploads.push(Key);
    more = page.IsTruncated === true;
    marker = { KeyMarker: page.NextKeyMarker ?? "", UploadIdMarker: page.NextUploadIdMarker ?? "" };
  }
  return { objects: objects.filter((name) => !/\/\.store-\w+$/.test(name)), uploads };
}
