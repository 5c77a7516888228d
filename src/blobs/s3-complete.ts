import { AppError } from "../errors.ts";
import type { S3Bucket } from "./s3-bucket.ts";
import { copyObject } from "./s3-copy.ts";
import { isNoObject, noEtag, s3Code, toS3Error, unlessS3 } from "./s3-errors.ts";
import { dropUpload } from "./s3-multipart.ts";
import { EMPTY_ETAG } from "./s3-parts.ts";
import { objectSize } from "./s3-read.ts";
import { locateUpload, readRef, toS3Digest } from "./s3-staged.ts";
import type { CommittedPart, StagedBlob } from "./store.ts";
import { blobNotFound } from "./store-errors.ts";

/** Amazon's store may take minutes over it, and says so by its answer's head at once. */
const COMPLETE_TIMEOUT_MS = 10 * 60_000;

export interface CompleteOptions {
  readonly parts: readonly CommittedPart[] | undefined;
  readonly maxCopyBytes: number | undefined;
}

/** `BlobStore.commit` on S3: without a copy, but for an upload whose senders could still reach the object that it becomes. */
export async function completeUpload(bucket: S3Bucket, staged: StagedBlob, { parts, maxCopyBytes }: CompleteOptions): Promise<void> {
  if (readRef(staged.ref).area !== "incoming") return await complete(bucket, staged, parts);
  const { key } = staged;
  if ((await objectSize(bucket, "visible", key)) === undefined) {
    await complete(bucket, staged, parts);
    const sizeBytes = await objectSize(bucket, "incoming", key);
    if (sizeBytes === undefined) throw blobNotFound();
    await copyObject(bucket, { key, from: "incoming", to: "visible", sizeBytes, maxCopyBytes });
  }
  await unlessS3(bucket.s3.deleteObject(bucket.locate("incoming", key)), isNoObject);
}

/**
 * Makes an upload an object. An answer that was lost does no harm: whatever the store says of an upload that it does not know any more, its
 * object is there or it is not.
 */
async function complete(bucket: S3Bucket, staged: StagedBlob, parts: readonly CommittedPart[] | undefined): Promise<void> {
  const { s3, locate } = bucket;
  const { area, uploadId, hasDigests } = readRef(staged.ref);
  try {
    // To some stores, an upload without an id is no upload but an object.
    if (!parts || uploadId === "") throw blobNotFound();
    if (parts.every(({ etag }) => etag === EMPTY_ETAG)) {
      // Some stores refuse an upload without bytes.
      await s3.putObject({ ...locate(area, staged.key), Body: new Uint8Array() });
      return await dropUpload(bucket, staged);
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
    if (!ETag) throw noEtag();
  } catch (error) {
    if ((await objectSize(bucket, area, staged.key)) !== undefined) return;
    if (error instanceof AppError) throw error;
    const code = s3Code(error);
    if (code === "NoSuchUpload") throw blobNotFound();
    if (code === "InvalidPart") throw partReplaced(error);
    throw toS3Error(error);
  }
}

/** Two senders' different bytes for the same part came at the same time; the record is of those that the store did not keep. */
const partReplaced = (cause: unknown): AppError =>
  new AppError("CONFLICT", "A part of this upload was sent twice at the same time. Abort the upload and begin a new one.", { cause });
