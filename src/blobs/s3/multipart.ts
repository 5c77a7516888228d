import { AppError } from "../../errors.ts";
import { blobNotFound } from "../blob-errors.ts";
import type { BlobKey, CommittedPart, StagedBlob } from "../store.ts";
import type { S3Area, S3Bucket } from "./bucket.ts";
import { copyObject } from "./copy.ts";
import { fromS3, isNoObject, isNoUpload, missingEtag, s3ErrorCode, toS3Error, unlessExpected } from "./errors.ts";
import { listUploadsOf } from "./list.ts";
import { EMPTY_ETAG } from "./part-writer.ts";
import { findObjectSize } from "./read.ts";
import { formatRef, locateUpload, parseRef, toS3Digest } from "./upload-ref.ts";

export interface MultipartOptions {
  readonly area: S3Area;
  /** Whether presigned URLs of its parts may be issued. */
  readonly allowsPresigned: boolean;
  /** Whether the store verifies each part against a SHA-256. */
  readonly usesChecksums: boolean;
}

/** Creates the one multipart upload of a blob, even if the response to an earlier attempt was lost. */
export async function createMultipartUpload(
  bucket: S3Bucket,
  key: BlobKey,
  { area, allowsPresigned, usesChecksums }: MultipartOptions,
): Promise<StagedBlob> {
  const { s3, locate } = bucket;
  const created = await fromS3(
    s3.createMultipartUpload({ ...locate(area, key), ...(usesChecksums ? { ChecksumAlgorithm: "SHA256" as const } : {}) }),
  );
  const { UploadId: uploadId, ChecksumAlgorithm } = created;
  if (!uploadId) throw toS3Error(new Error("The store gave no upload ID"));
  // A lost response has left an upload whose ID is unknown.
  if (created.$metadata.attempts !== 1)
    for (const other of await listUploadsOf(bucket, key))
      if (parseRef(other.ref).uploadId !== uploadId) await abortMultipartUpload(bucket, other);
  return { key, ref: formatRef({ uploadId, area, allowsPresigned, hasDigests: ChecksumAlgorithm === "SHA256" }) };
}

/** Aborts an upload and removes its parts, if there is one. */
export async function abortMultipartUpload(bucket: S3Bucket, staged: StagedBlob): Promise<void> {
  await unlessExpected(bucket.s3.abortMultipartUpload(locateUpload(bucket, staged)), (error) => isNoUpload(error) || isNoObject(error));
}

/** Timeout of a completion. Amazon S3 may take minutes, but sends the response's head immediately. */
const COMPLETE_TIMEOUT_MS = 10 * 60_000;

export interface CommitOptions {
  readonly parts: readonly CommittedPart[] | undefined;
  readonly maxCopyBytes: number | undefined;
}

/** Implements `BlobStore.commit` on S3. Copies nothing, unless presigned part URLs could still change the object. */
export async function commitMultipartUpload(bucket: S3Bucket, staged: StagedBlob, { parts, maxCopyBytes }: CommitOptions): Promise<void> {
  if (parseRef(staged.ref).area !== "incoming") return await completeMultipartUpload(bucket, staged, parts);
  const { key } = staged;
  if ((await findObjectSize(bucket, "visible", key)) === undefined) {
    await completeMultipartUpload(bucket, staged, parts);
    const sizeBytes = await findObjectSize(bucket, "incoming", key);
    if (sizeBytes === undefined) throw blobNotFound();
    await copyObject(bucket, { key, from: "incoming", to: "visible", sizeBytes, maxCopyBytes });
  }
  await unlessExpected(bucket.s3.deleteObject(bucket.locate("incoming", key)), isNoObject);
}

/** Completes a multipart upload. Safe if a response was lost: whatever the store reports for an unknown upload, its object exists or does not. */
async function completeMultipartUpload(bucket: S3Bucket, staged: StagedBlob, parts: readonly CommittedPart[] | undefined): Promise<void> {
  const { s3, locate } = bucket;
  const { area, uploadId, hasDigests } = parseRef(staged.ref);
  try {
    // Some stores treat an upload without an ID as an object.
    if (!parts || uploadId === "") throw blobNotFound();
    if (parts.every(({ etag }) => etag === EMPTY_ETAG)) {
      // Some stores refuse an upload without bytes.
      await s3.putObject({ ...locate(area, staged.key), Body: new Uint8Array() });
      return await abortMultipartUpload(bucket, staged);
    }
    const Parts = parts.map(({ partNumber, etag, sha256 }) => ({
      PartNumber: partNumber,
      ETag: etag,
      ...(hasDigests && sha256 ? { ChecksumSHA256: toS3Digest(sha256) } : {}),
    }));
    const { ETag } = await s3.completeMultipartUpload(
      { ...locateUpload(bucket, staged), MultipartUpload: { Parts } },
      { requestTimeout: COMPLETE_TIMEOUT_MS },
    );
    if (!ETag) throw missingEtag();
  } catch (error) {
    if ((await findObjectSize(bucket, area, staged.key)) !== undefined) return;
    if (error instanceof AppError) throw error;
    const code = s3ErrorCode(error);
    if (code === "NoSuchUpload") throw blobNotFound();
    if (code === "InvalidPart") throw partReplaced(error);
    throw toS3Error(error);
  }
}

/**
 * Creates the error for two clients that sent different bytes for the same part concurrently: the record describes the bytes that the store replaced.
 */
const partReplaced = (cause: unknown): AppError =>
  new AppError("CONFLICT", "A part of this upload was sent twice at the same time. Abort the upload and start a new one.", { cause });
