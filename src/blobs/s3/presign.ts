import { setImmediate } from "node:timers/promises";
import type { BlobStore } from "../store.ts";
import type { S3Bucket, S3Options } from "./bucket.ts";
import { fromS3 } from "./errors.ts";
import { parseRef, toS3Digest } from "./upload-ref.ts";

const READ_URL_TTL_SECONDS = 60;

/** Creates `BlobStore.presignRead` (storage, "Downloads from an S3 store"). Sends no request. */
export async function createReadPresigner({ sdk, s3, locate }: S3Bucket): Promise<NonNullable<BlobStore["presignRead"]>> {
  const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
  return async (key, { contentType, contentDisposition }) => {
    const command = new sdk.GetObjectCommand({
      ...locate("visible", key),
      ResponseContentType: contentType,
      ResponseContentDisposition: contentDisposition,
      ResponseCacheControl: "private, no-store",
    });
    return await fromS3(getSignedUrl(s3, command, { expiresIn: READ_URL_TTL_SECONDS }));
  };
}

export interface PresignPartInput {
  readonly target: { readonly Bucket: string; readonly Key: string };
  readonly uploadId: string;
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** The digest in hexadecimal. It is in the URL's query, where a store may or may not enforce it. */
  readonly sha256: string;
  readonly validSeconds: number;
}

/**
 * Creates a function that presigns URLs for one part each, for clients that send no header of the store. It signs the size as the `Content-Length`
 * that every client sends. Sends no request.
 */
export async function createPartSigner({ sdk, s3 }: S3Bucket): Promise<(part: PresignPartInput) => Promise<string>> {
  const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
  return async ({ target, uploadId, partNumber, sizeBytes, sha256, validSeconds }) => {
    const command = new sdk.UploadPartCommand({
      ...target,
      UploadId: uploadId,
      PartNumber: partNumber,
      ContentLength: sizeBytes,
      ChecksumSHA256: toS3Digest(sha256),
    });
    return await fromS3(getSignedUrl(s3, command, { expiresIn: validSeconds }));
  };
}

/** Number of signatures before the event loop runs, because each takes a quarter of a millisecond. */
const BATCH_SIZE = 40;

/** Creates `BlobStore.presignParts` on S3. */
export async function createPresignParts(
  bucket: S3Bucket,
  uploadMode: { readonly usesPresignedParts: () => boolean; readonly copiesOnCompletion: () => boolean },
): Promise<NonNullable<BlobStore["presignParts"]>> {
  const presign = await createPartSigner(bucket);
  return async ({ key, ref }, parts, validMs) => {
    const { area, uploadId, allowsPresigned } = parseRef(ref);
    if (!allowsPresigned || !uploadMode.usesPresignedParts() || (area !== "incoming" && uploadMode.copiesOnCompletion())) return undefined;
    const urls: string[] = [];
    for (const part of parts) {
      urls.push(await presign({ ...part, target: bucket.locate(area, key), uploadId, validSeconds: Math.floor(validMs / 1000) }));
      if (urls.length % BATCH_SIZE === 0) await setImmediate();
    }
    return urls;
  };
}

/**
 * Returns the origins of the store's URLs, with the bucket in the host name and in the path, because the SDK's choice depends on the bucket's name
 * too.
 */
export function originsOf({ endpoint, region, bucket }: S3Options): string[] {
  const { protocol, host } = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  return [`${protocol}//${host}`, `${protocol}//${bucket}.${host}`];
}
