import { createHash, randomBytes } from "node:crypto";
import type { S3Bucket } from "./s3-bucket.ts";
import { fromS3, noEtag, s3Status, toS3Error, unlessS3 } from "./s3-errors.ts";
import { createPartPresigner } from "./s3-presign.ts";

/** How a store treats those who have nothing but the address of a part. */
export interface UploadProbe {
  /** Such uploads are to be begun with the digests of parts announced: the store knows that, and still takes presigned parts then. */
  readonly withDigests: boolean;
  /** The bytes that the address was made for are taken, and come out as they went in. */
  readonly takesRightBytes: boolean;
  /** Refused: bytes of that size whose SHA-256 is not the one in the address. */
  readonly refusesOtherBytes: boolean;
  /** Refused: more bytes than the address was made for. */
  readonly refusesOtherSizes: boolean;
  /** Refused: a header that nobody signed, by which the part would be a copy of some object of the bucket. */
  readonly refusesCopies: boolean;
  /** Refused: a part of an upload that was completed. Where it is taken, it goes into the finished object. */
  readonly refusesLateParts: boolean;
}

const TIMEOUT_MS = 20_000;
const VALID_SECONDS = 300;
const OLD_MS = 60 * 60_000;
const SIZE_BYTES = 1024;

/**
 * Tries once what the store does with presigned parts, with a small upload under the configured prefix that is gone afterwards, whatever
 * happened; what a crash leaves, a later try takes away. Throws UNAVAILABLE where the store gives no clear answer: nothing is known then.
 */
export async function probeUploads(bucket: S3Bucket): Promise<UploadProbe> {
  await removeOld(bucket);
  const probe = await tryUpload(bucket, { withDigests: true });
  // Some stores that know digests want them in a header, which senders do not send.
  return probe.takesRightBytes ? probe : await tryUpload(bucket, { withDigests: false });
}

async function tryUpload(bucket: S3Bucket, { withDigests }: Pick<UploadProbe, "withDigests">): Promise<UploadProbe> {
  const { s3 } = bucket;
  const [target, source] = [bucket.locate("probes", newKey()), bucket.locate("probes", newKey())];
  const [right, other] = [randomBytes(SIZE_BYTES), randomBytes(SIZE_BYTES)];
  const begun = await unlessS3(
    s3.createMultipartUpload({ ...target, ...(withDigests ? { ChecksumAlgorithm: "SHA256" } : {}) }),
    (error) => withDigests && knowsNoDigests(error),
  );
  if (!begun) return NO_DIGESTS;
  const { UploadId: uploadId, ChecksumAlgorithm } = begun;
  if (!uploadId) throw toS3Error(new Error("The store gave no upload id"));
  const presign = await createPartPresigner(bucket);
  const put = async (announced: Uint8Array, body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}) => {
    const part = { partNumber: 1, sizeBytes: SIZE_BYTES, sha256: toDigest(announced, "hex"), validSeconds: VALID_SECONDS };
    return await putPlain(await presign({ target, uploadId, ...part }), body, headers);
  };
  try {
    await fromS3(s3.putObject({ ...source, Body: other }));
    const refusesOtherBytes = isRefused(await put(right, other));
    const refusesOtherSizes = isRefused(await put(right, randomBytes(SIZE_BYTES + 1)));
    const copied = await put(right, right, { "x-amz-copy-source": `/${source.Bucket}/${source.Key}` });
    const refusesCopies = isRefused(copied) || !copied.text.includes("CopyPartResult");
    const tried = { withDigests, refusesOtherBytes, refusesOtherSizes, refusesCopies };
    const taken = await put(right, right);
    if (isRefused(taken)) return { ...tried, takesRightBytes: false, refusesLateParts: false };
    if (!taken.etag) throw toS3Error(noEtag());
    const sum = ChecksumAlgorithm === undefined ? {} : { ChecksumSHA256: toDigest(right, "base64") };
    const Parts = [{ PartNumber: 1, ETag: taken.etag, ...sum }];
    await fromS3(s3.completeMultipartUpload({ ...target, UploadId: uploadId, MultipartUpload: { Parts } }));
    const takesRightBytes = right.equals(await read(bucket, target));
    const late = await put(other, other);
    return { ...tried, takesRightBytes, refusesLateParts: late.status === 404 || isRefused(late) };
  } finally {
    await s3.abortMultipartUpload({ ...target, UploadId: uploadId }).catch(() => undefined);
    for (const object of [target, source]) await s3.deleteObject(object).catch(() => undefined);
  }
}

/** Of a store that does not begin such an upload. */
const NO_DIGESTS: UploadProbe = {
  withDigests: true,
  takesRightBytes: false,
  refusesOtherBytes: false,
  refusesOtherSizes: false,
  refusesCopies: false,
  refusesLateParts: false,
};

const knowsNoDigests = (error: unknown): boolean => [400, 501].includes(s3Status(error) ?? 0);

/** What tries have left that were killed. */
async function removeOld({ s3, name, folderOf }: S3Bucket): Promise<void> {
  const isOld = (at: Date | undefined): boolean => at !== undefined && at.getTime() < Date.now() - OLD_MS;
  const under = { Bucket: name, Prefix: folderOf("probes") };
  const { Uploads = [] } = await fromS3(s3.listMultipartUploads(under));
  for (const { Key, UploadId, Initiated } of Uploads)
    if (Key && UploadId && isOld(Initiated)) await s3.abortMultipartUpload({ Bucket: name, Key, UploadId }).catch(() => undefined);
  const { Contents = [] } = await fromS3(s3.listObjectsV2(under));
  for (const { Key, LastModified } of Contents)
    if (Key && isOld(LastModified)) await s3.deleteObject({ Bucket: name, Key }).catch(() => undefined);
}

const newKey = (): string => randomBytes(16).toString("hex");

const toDigest = (bytes: Uint8Array, encoding: "hex" | "base64"): string => createHash("sha256").update(bytes).digest(encoding);

interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly text: string;
}

/** As the simplest of clients does. */
async function putPlain(url: string, body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): Promise<Answer> {
  try {
    const response = await fetch(url, { method: "PUT", body, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: response.status, etag: response.headers.get("etag"), text: await response.text() };
  } catch (error) {
    throw toS3Error(error);
  }
}

/** Answers that say something of the moment, not of the store. */
const UNCLEAR = [404, 408, 429];

function isRefused({ status }: Answer): boolean {
  if (status >= 200 && status < 300) return false;
  if (status === 501 || (status >= 400 && status < 500 && !UNCLEAR.includes(status))) return true;
  throw toS3Error(new Error(`The store answered a part with status ${status}`));
}

async function read({ s3 }: S3Bucket, target: { readonly Bucket: string; readonly Key: string }): Promise<Uint8Array> {
  const { Body } = await fromS3(s3.getObject(target));
  if (!Body) throw toS3Error(new Error("The store answered without a body"));
  return await fromS3(Body.transformToByteArray());
}
