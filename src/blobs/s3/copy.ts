import type { BlobKey } from "../store.ts";
import type { S3Area, S3Bucket } from "./bucket.ts";
import { fromS3 } from "./errors.ts";

const GB = 1024 ** 3;
/** Maximum number of bytes that Amazon S3 copies in one request. */
const MAX_COPY_BYTES = 5 * GB;
const MAX_PARTS = 10_000;
/** Timeout of a copy. A store responds only after it has copied. */
const COPY_TIMEOUT_MS = 10 * 60_000;

export interface CopyOptions {
  readonly key: BlobKey;
  readonly from: S3Area;
  readonly to: S3Area;
  readonly sizeBytes: number;
  /** Maximum number of bytes per request; default: 5 GB. */
  readonly maxCopyBytes?: number | undefined;
}

/** Copies a blob to another area, within the store. */
export async function copyObject(
  bucket: S3Bucket,
  { key, from, to, sizeBytes, maxCopyBytes = MAX_COPY_BYTES }: CopyOptions,
): Promise<void> {
  const { s3, locate } = bucket;
  const source = locate(from, key);
  const CopySource = `${source.Bucket}/${source.Key}`.split("/").map(encodeURIComponent).join("/");
  const target = locate(to, key);
  if (sizeBytes <= maxCopyBytes) {
    await fromS3(s3.copyObject({ ...target, CopySource }, { requestTimeout: COPY_TIMEOUT_MS }));
    return;
  }
  const { UploadId } = await fromS3(s3.createMultipartUpload(target));
  try {
    const partBytes = Math.max(Math.min(GB, maxCopyBytes), Math.ceil(sizeBytes / MAX_PARTS));
    const parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (let start = 0; start < sizeBytes; start += partBytes) {
      const PartNumber = parts.length + 1;
      const CopySourceRange = `bytes=${start}-${Math.min(sizeBytes, start + partBytes) - 1}`;
      const copying = s3.uploadPartCopy(
        { ...target, UploadId, PartNumber, CopySource, CopySourceRange },
        { requestTimeout: COPY_TIMEOUT_MS },
      );
      parts.push({ PartNumber, ETag: (await fromS3(copying)).CopyPartResult?.ETag });
    }
    const completing = s3.completeMultipartUpload(
      { ...target, UploadId, MultipartUpload: { Parts: parts } },
      { requestTimeout: COPY_TIMEOUT_MS },
    );
    await fromS3(completing);
  } catch (error) {
    await s3.abortMultipartUpload({ ...target, UploadId }).catch(() => undefined);
    throw error;
  }
}
