import { createHash, randomBytes } from "node:crypto";
import type { S3Bucket } from "./bucket.ts";
import { fromS3, missingEtag, s3Status, toS3Error, unlessExpected } from "./errors.ts";
import { createPartSigner } from "./presign.ts";

/** The store's treatment of clients that have only a presigned part URL. */
export interface UploadProbe {
  /** Whether uploads are created with a checksum algorithm: the store supports that and still accepts presigned parts. */
  readonly usesChecksums: boolean;
  /** Whether the store accepts the bytes that the URL is for, and returns them unchanged. */
  readonly acceptsExpectedBytes: boolean;
  /** Whether the store refuses bytes of the right size whose SHA-256 differs from the URL's. */
  readonly rejectsWrongDigest: boolean;
  /** Whether the store refuses more bytes than the URL is for. */
  readonly rejectsWrongSize: boolean;
  /** Whether the store refuses an unsigned header by which the part would be a copy of any object in the bucket. */
  readonly rejectsCopies: boolean;
  /** Whether the store refuses a part of a completed upload, which would change the completed object. */
  readonly rejectsPartsAfterCompletion: boolean;
}

const TIMEOUT_MS = 20_000;
const PROBE_URL_TTL_SECONDS = 300;
const MAX_AGE_MS = 60 * 60_000;
const SIZE_BYTES = 1024;

/**
 * Probes how the store handles presigned parts, with a small upload under the configured prefix that is always removed. A later probe removes the
 * remains of a crash. Throws UNAVAILABLE if a response is inconclusive.
 */
export async function probeUploads(bucket: S3Bucket): Promise<UploadProbe> {
  await removeOldProbes(bucket);
  const probe = await probeUpload(bucket, { usesChecksums: true });
  // Some stores that support digests require them in a header, which clients do not send.
  return probe.acceptsExpectedBytes ? probe : await probeUpload(bucket, { usesChecksums: false });
}

async function probeUpload(bucket: S3Bucket, { usesChecksums }: Pick<UploadProbe, "usesChecksums">): Promise<UploadProbe> {
  const { s3 } = bucket;
  const [target, source] = [bucket.locate("probes", newProbeKey()), bucket.locate("probes", newProbeKey())];
  const [right, other] = [randomBytes(SIZE_BYTES), randomBytes(SIZE_BYTES)];
  const created = await unlessExpected(
    s3.createMultipartUpload({ ...target, ...(usesChecksums ? { ChecksumAlgorithm: "SHA256" } : {}) }),
    (error) => usesChecksums && isUnsupported(error),
  );
  if (!created) return NO_DIGESTS;
  const { UploadId: uploadId, ChecksumAlgorithm } = created;
  if (!uploadId) throw toS3Error(new Error("The store gave no upload ID"));
  const presign = await createPartSigner(bucket);
  const put = async (expected: Uint8Array, body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}) => {
    const part = { partNumber: 1, sizeBytes: SIZE_BYTES, sha256: toDigest(expected, "hex"), validSeconds: PROBE_URL_TTL_SECONDS };
    return await putPlain(await presign({ target, uploadId, ...part }), body, headers);
  };
  try {
    await fromS3(s3.putObject({ ...source, Body: other }));
    const rejectsWrongDigest = isRefused(await put(right, other));
    const rejectsWrongSize = isRefused(await put(right, randomBytes(SIZE_BYTES + 1)));
    const copied = await put(right, right, { "x-amz-copy-source": `/${source.Bucket}/${source.Key}` });
    const rejectsCopies = isRefused(copied) || !copied.text.includes("CopyPartResult");
    const results = { usesChecksums, rejectsWrongDigest, rejectsWrongSize, rejectsCopies };
    const accepted = await put(right, right);
    if (isRefused(accepted)) return { ...results, acceptsExpectedBytes: false, rejectsPartsAfterCompletion: false };
    if (!accepted.etag) throw toS3Error(missingEtag());
    const sum = ChecksumAlgorithm === undefined ? {} : { ChecksumSHA256: toDigest(right, "base64") };
    const Parts = [{ PartNumber: 1, ETag: accepted.etag, ...sum }];
    await fromS3(s3.completeMultipartUpload({ ...target, UploadId: uploadId, MultipartUpload: { Parts } }));
    const acceptsExpectedBytes = right.equals(await read(bucket, target));
    const latePart = await put(other, other);
    return { ...results, acceptsExpectedBytes, rejectsPartsAfterCompletion: latePart.status === 404 || isRefused(latePart) };
  } finally {
    await s3.abortMultipartUpload({ ...target, UploadId: uploadId }).catch(() => undefined);
    for (const object of [target, source]) await s3.deleteObject(object).catch(() => undefined);
  }
}

/** The result for a store that refuses to create an upload with digests. */
const NO_DIGESTS: UploadProbe = {
  usesChecksums: true,
  acceptsExpectedBytes: false,
  rejectsWrongDigest: false,
  rejectsWrongSize: false,
  rejectsCopies: false,
  rejectsPartsAfterCompletion: false,
};

const isUnsupported = (error: unknown): boolean => [400, 501].includes(s3Status(error) ?? 0);

/** Removes the remains of killed probes. */
async function removeOldProbes({ s3, name, folderOf }: S3Bucket): Promise<void> {
  const isOld = (at: Date | undefined): boolean => at !== undefined && at.getTime() < Date.now() - MAX_AGE_MS;
  const under = { Bucket: name, Prefix: folderOf("probes") };
  const { Uploads = [] } = await fromS3(s3.listMultipartUploads(under));
  for (const { Key, UploadId, Initiated } of Uploads)
    if (Key && UploadId && isOld(Initiated)) await s3.abortMultipartUpload({ Bucket: name, Key, UploadId }).catch(() => undefined);
  const { Contents = [] } = await fromS3(s3.listObjectsV2(under));
  for (const { Key, LastModified } of Contents)
    if (Key && isOld(LastModified)) await s3.deleteObject({ Bucket: name, Key }).catch(() => undefined);
}

const newProbeKey = (): string => randomBytes(16).toString("hex");

const toDigest = (bytes: Uint8Array, encoding: "hex" | "base64"): string => createHash("sha256").update(bytes).digest(encoding);

interface PutResponse {
  readonly status: number;
  readonly etag: string | null;
  readonly text: string;
}

/** Sends a plain PUT, as simple clients do. */
async function putPlain(url: string, body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): Promise<PutResponse> {
  try {
    const response = await fetch(url, { method: "PUT", body, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: response.status, etag: response.headers.get("etag"), text: await response.text() };
  } catch (error) {
    throw toS3Error(error);
  }
}

/** Statuses that describe a temporary state and not the store. */
const INCONCLUSIVE = [404, 408, 429];

function isRefused({ status }: PutResponse): boolean {
  if (status >= 200 && status < 300) return false;
  if (status === 501 || (status >= 400 && status < 500 && !INCONCLUSIVE.includes(status))) return true;
  throw toS3Error(new Error(`The store responded to a part with status ${status}`));
}

async function read({ s3 }: S3Bucket, target: { readonly Bucket: string; readonly Key: string }): Promise<Uint8Array> {
  const { Body } = await fromS3(s3.getObject(target));
  if (!Body) throw toS3Error(new Error("The store responded without a body"));
  return await fromS3(Body.transformToByteArray());
}
