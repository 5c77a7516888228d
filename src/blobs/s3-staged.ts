import type { S3Area, S3Bucket } from "./s3-bucket.ts";
import type { BlobKey, StagedBlob } from "./store.ts";

/** A multipart upload of the store, as a blob's `ref` names it. */
export interface S3Upload {
  readonly uploadId: string;
  /**
   * Where it becomes an object: where it is to stay, or `incoming`, from where it is copied, so that nobody has an address that reaches
   * what was checked.
   */
  readonly area: S3Area;
  /** Addresses of its parts may be given to their senders. */
  readonly isOpenToSenders: boolean;
  /** The store wants the SHA-256 of each part, with the part and at the completion. */
  readonly hasDigests: boolean;
}

const OPEN = /^open-(visible|incoming)(-sha256)?:(.*)$/s;

export function toRef({ uploadId, area, isOpenToSenders, hasDigests }: S3Upload): string {
  return isOpenToSenders ? `open-${area}${hasDigests ? "-sha256" : ""}:${uploadId}` : uploadId;
}

/** Reads a `ref`; one without a mark is an upload whose parts pass through the server alone. */
export function readRef(ref: string): S3Upload {
  const [, area, digests, uploadId] = OPEN.exec(ref) ?? [];
  if (uploadId === undefined) return { uploadId: ref, area: "visible", isOpenToSenders: false, hasDigests: false };
  return { uploadId, area: area === "incoming" ? "incoming" : "visible", isOpenToSenders: true, hasDigests: digests !== undefined };
}

/** What calls of the store name an upload by. */
export function locateUpload({ locate }: S3Bucket, { key, ref }: StagedBlob) {
  const { area, uploadId } = readRef(ref);
  return { ...locate(area, key), UploadId: uploadId };
}

/** As it is listed, of which only its place is known. */
export const listedUpload = (key: BlobKey, area: S3Area, uploadId: string): StagedBlob => ({
  key,
  ref: toRef({ uploadId, area, isOpenToSenders: area === "incoming", hasDigests: false }),
});

/** A part's digest as S3 writes it. */
export const toS3Digest = (sha256: string): string => Buffer.from(sha256, "hex").toString("base64");
