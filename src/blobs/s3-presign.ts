import type { S3Bucket, S3Options } from "./s3-bucket.ts";
import { fromS3 } from "./s3-errors.ts";
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

/** Both, with the bucket in the host name and in the path: which one it is, the SDK decides by the bucket's name too. */
export function originsOf({ endpoint, region, bucket }: S3Options): string[] {
  const { protocol, host } = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  return [`${protocol}//${host}`, `${protocol}//${bucket}.${host}`];
}
