import type { BlobKey, StagedBlob } from "../store.ts";
import type { S3Area, S3Bucket } from "./bucket.ts";

/** A multipart upload, as encoded in a blob's `ref`. */
export interface UploadRef {
  readonly uploadId: string;
  /** The area of the completed object: its final area, or `incoming`, from which it is copied so that no presigned URL reaches verified bytes. */
  readonly area: S3Area;
  /** Whether presigned URLs of its parts may be issued. */
  readonly allowsPresigned: boolean;
  /** Whether the store requires the SHA-256 of each part, with the part and on completion. */
  readonly hasDigests: boolean;
}

const OPEN = /^open-(visible|incoming)(-sha256)?:(.*)$/s;

export function formatRef({ uploadId, area, allowsPresigned, hasDigests }: UploadRef): string {
  return allowsPresigned ? `open-${area}${hasDigests ? "-sha256" : ""}:${uploadId}` : uploadId;
}

/** Parses a `ref`. Without a prefix, it belongs to an upload whose parts pass only through the server. */
export function parseRef(ref: string): UploadRef {
  const [, area, digests, uploadId] = OPEN.exec(ref) ?? [];
  if (uploadId === undefined) return { uploadId: ref, area: "visible", allowsPresigned: false, hasDigests: false };
  return { uploadId, area: area === "incoming" ? "incoming" : "visible", allowsPresigned: true, hasDigests: digests !== undefined };
}

/** Returns the parameters that identify an upload in requests. */
export function locateUpload({ locate }: S3Bucket, { key, ref }: StagedBlob) {
  const { area, uploadId } = parseRef(ref);
  return { ...locate(area, key), UploadId: uploadId };
}

/** Returns the blob of a listed upload, of which only the area and the ID are known. */
export const listedUpload = (key: BlobKey, area: S3Area, uploadId: string): StagedBlob => ({
  key,
  ref: formatRef({ uploadId, area, allowsPresigned: area === "incoming", hasDigests: false }),
});

/** Converts a hexadecimal digest to S3's base64. */
export const toS3Digest = (sha256: string): string => Buffer.from(sha256, "hex").toString("base64");
