import { createHash } from "node:crypto";
import type { AppError } from "../errors.ts";
import type { S3Bucket } from "./s3-bucket.ts";
import { fromS3, isNoUpload } from "./s3-errors.ts";
import { objectSize } from "./s3-read.ts";
import { startSending } from "./s3-sending.ts";
import { locateUpload, readRef } from "./s3-staged.ts";
import type { BlobStore, PartPlace, StagedBlob } from "./store.ts";
import { digestMismatch, sizeMismatch, uploadClosed } from "./store-errors.ts";
import type { Writers } from "./upload-writers.ts";

/** The entity tag of no bytes at all: such a part is never sent, since some stores refuse it. */
export const EMPTY_ETAG = '"d41d8cd98f00b204e9800998ecf8427e"';

/**
 * `BlobStore.writePart` on S3, through this process. The last piece of a part is held back until size and digest of all of it are right, so
 * that a wrong part is a request which never ended: to no store does that replace the part which had arrived. Retries are the sender's.
 */
export function createS3PartWriter({ bucket, writers }: { bucket: S3Bucket; writers: Writers }): BlobStore["writePart"] {
  return (staged, place, body, onPlaced) =>
    writers.runPart(staged.key, place.partNumber, async (writer, slot) => {
      // To some stores, an upload without an id is no upload but an object.
      if (staged.ref === "") throw uploadClosed();
      const sending = startSending(bucket, staged, place);
      const digests = { sha256: createHash("sha256"), md5: createHash("md5") };
      let receivedBytes = 0;
      /** That the upload is closed comes first. */
      const refuse = async (error: AppError): Promise<never> => {
        await checkOpen(bucket, staged);
        throw error;
      };
      try {
        await writer.receive(body, async (chunk) => {
          receivedBytes += chunk.length;
          if (receivedBytes > place.sizeBytes) await refuse(sizeMismatch(place, "more"));
          if (chunk.length === 0) return;
          digests.sha256.update(chunk);
          if (place.arrived) digests.md5.update(chunk);
          await sending.push(chunk);
        });
        if (receivedBytes < place.sizeBytes) await refuse(sizeMismatch(place, `${receivedBytes}`));
        if (digests.sha256.digest("hex") !== place.sha256) await refuse(digestMismatch(place));
        return await slot.locked(async () => {
          writer.check();
          await checkNotComplete(bucket, staged);
          const same = place.arrived ? await findSame(bucket, staged, place, digests.md5.digest("hex")) : undefined;
          if (place.arrived && !same) await place.onReplace?.();
          const part = { etag: same ?? (await sending.finish()) ?? (await emptyPart(bucket, staged)) };
          writer.settle();
          await onPlaced(part);
          return part;
        });
      } finally {
        // Before the last piece, the store keeps nothing of it; after the answer, this does nothing.
        sending.abort();
      }
    });
}

/** Nothing is sent for a part of no bytes. */
async function emptyPart(bucket: S3Bucket, staged: StagedBlob): Promise<string> {
  await checkOpen(bucket, staged);
  return EMPTY_ETAG;
}

async function checkOpen(bucket: S3Bucket, staged: StagedBlob): Promise<void> {
  await checkNotComplete(bucket, staged);
  await listPart(bucket, staged, 1);
}

/**
 * Throws UPLOAD_CLOSED where the upload was completed. Swift takes parts even then, into the very object that they had become; asked just
 * before the last piece, since processes that share the bucket do not hear of each other's completions.
 */
async function checkNotComplete(bucket: S3Bucket, { key, ref }: StagedBlob): Promise<void> {
  // In the order in which they come to be: what is gone from the first since it was looked for is in the second.
  for (const area of new Set([readRef(ref).area, "visible"] as const))
    if ((await objectSize(bucket, area, key)) !== undefined) throw uploadClosed();
}

/** The entity tag of the part that had arrived, where it has these very bytes; undefined also where the store makes tags of something else. */
async function findSame(
  bucket: S3Bucket,
  staged: StagedBlob,
  { partNumber, sizeBytes }: PartPlace,
  md5: string,
): Promise<string | undefined> {
  const part = await listPart(bucket, staged, partNumber);
  const isSame = part?.PartNumber === partNumber && part.Size === sizeBytes && part.ETag?.replaceAll('"', "") === md5;
  return isSame ? part.ETag : undefined;
}

/** The first part from a number on. Throws UPLOAD_CLOSED. */
async function listPart(bucket: S3Bucket, staged: StagedBlob, partNumber: number) {
  try {
    const { Parts = [] } = await bucket.s3.listParts({
      ...locateUpload(bucket, staged),
      PartNumberMarker: `${partNumber - 1}`,
      MaxParts: 1,
    });
    return Parts[0];
  } catch (error) {
    if (isNoUpload(error)) throw uploadClosed();
    return await fromS3(Promise.reject(error));
  }
}
