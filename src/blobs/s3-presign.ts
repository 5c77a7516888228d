import { setImmediate } from "node:timers/promises";
import type { S3Bucket, S3Options } from "./s3-bucket.ts";
import { fromS3 } from "./s3-errors.ts";
import { readRef, toS3Digest } from "./s3-staged.ts";
import type { BlobStore } from "./store.ts";

const VALID_SECONDS = 60;

/** `BlobStore.presignRead` (decisions, "Storage"). Asks the store nothing. */
export async function createPresigner({ sdk, s3, locate }: S3Bucket): Promise<NonNullable<BlobStore["presignRead"]>> {
  const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
  return async (key, { contentType, contentDisposition }) => {
    const command = new sdk.GetObjectCommand({
      ...locate("visible", key),
      ResponseContentType: contentType,
      ResponseContentDisposition: contentDisposition,
      ResponseCacheControl: "private, no-store",
    });
    return await fromS3(getSignedUrl(s3, command, { expiresIn: VALID_SECONDS }));
  };
}

export interface PartToPresign {
  readonly target: { readonly Bucket: string; readonly Key: string };
  readonly uploadId: string;
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** Hexadecimal; in the address's query, where a store may look at it or not. */
  readonly sha256: string;
  readonly validSeconds: number;
}

/**
 * Makes addresses of the store that take one part each, from senders with no header of ours. The size is signed, as the `Content-Length` that
 * every sender gives by itself. Asks the store nothing.
 */
export async function createPartPresigner({ sdk, s3 }: S3Bucket): Promise<(part: PartToPresign) => Promise<string>> {
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

/** So many signatures are made before others have their turn: each takes a quarter of a millisecond. */
const TURN = 40;

/** `BlobStore.presignParts` on S3. */
export async function createPartsPresigner(
  bucket: S3Bucket,
  route: { readonly isDirect: () => boolean; readonly wantsCopy: () => boolean },
): Promise<NonNullable<BlobStore["presignParts"]>> {
  const presign = await createPartPresigner(bucket);
  return async ({ key, ref }, parts, validMs) => {
    const { area, uploadId, isOpenToSenders } = readRef(ref);
    if (!isOpenToSenders || !route.isDirect() || (area !== "incoming" && route.wantsCopy())) return undefined;
    const urls: string[] = [];
    for (const part of parts) {
      urls.push(await presign({ ...part, target: bucket.locate(area, key), uploadId, validSeconds: Math.floor(validMs / 1000) }));
      if (urls.length % TURN === 0) await setImmediate();
    }
    return urls;
  };
}

/** Both, with the bucket in the host name and in the path: which one it is, the SDK decides by the bucket's name too. */
export function originsOf({ endpoint, region, bucket }: S3Options): string[] {
  const { protocol, host } = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  return [`${protocol}//${host}`, `${protocol}//${bucket}.${host}`];
}
