import type { S3Area, S3Bucket } from "./s3-bucket.ts";
import { fromS3, isNoObject, isNoUpload, toS3Error, unlessS3 } from "./s3-errors.ts";
import { listUploadsOf } from "./s3-list.ts";
import { locateUpload, readRef, toRef } from "./s3-staged.ts";
import type { BlobKey, StagedBlob } from "./store.ts";

export interface BeginOptions {
  readonly area: S3Area;
  /** Addresses of its parts may be given to their senders. */
  readonly isOpenToSenders: boolean;
  /** The store is to hold each part against a SHA-256. */
  readonly withDigests: boolean;
}

/** Begins a multipart upload of a blob; there is one afterwards, even where the answer to the first try was lost. */
export async function beginUpload(
  bucket: S3Bucket,
  key: BlobKey,
  { area, isOpenToSenders, withDigests }: BeginOptions,
): Promise<StagedBlob> {
  const { s3, locate } = bucket;
  const created = await fromS3(
    s3.createMultipartUpload({ ...locate(area, key), ...(withDigests ? { ChecksumAlgorithm: "SHA256" as const } : {}) }),
  );
  const { UploadId: uploadId, ChecksumAlgorithm } = created;
  if (!uploadId) throw toS3Error(new Error("The store gave no upload id"));
  // An answer that was lost has left an upload that nobody knows of.
  if (created.$metadata.attempts !== 1)
    for (const other of await listUploadsOf(bucket, key)) if (readRef(other.ref).uploadId !== uploadId) await dropUpload(bucket, other);
  return { key, ref: toRef({ uploadId, area, isOpenToSenders, hasDigests: ChecksumAlgorithm === "SHA256" }) };
}

/** Forgets the parts of an upload; fine where there are none. */
export async function dropUpload(bucket: S3Bucket, staged: StagedBlob): Promise<void> {
  await unlessS3(bucket.s3.abortMultipartUpload(locateUpload(bucket, staged)), (error) => isNoUpload(error) || isNoObject(error));
}
