import { createHash } from "node:crypto";
import type { AppError } from "../../errors.ts";
import { digestMismatch, sizeMismatch, uploadClosed } from "../blob-errors.ts";
import type { BlobStore, PartInput, StagedBlob } from "../store.ts";
import type { UploadTransfers } from "../upload-transfers.ts";
import type { S3Bucket } from "./bucket.ts";
import { fromS3, isNoUpload } from "./errors.ts";
import { findObjectSize } from "./read.ts";
import { startPartUpload } from "./send-part.ts";
import { locateUpload, parseRef } from "./upload-ref.ts";

/** The ETag of an empty part, which is never sent, because some stores refuse it. */
export const EMPTY_ETAG = '"d41d8cd98f00b204e9800998ecf8427e"';

/**
 * Creates `BlobStore.writePart` on S3, through this process. The last bytes of a part are sent only after its size and digest are verified, so that
 * no store replaces the stored part by a wrong one; the client must then retry.
 */
export function createS3PartWriter({ bucket, transfers }: { bucket: S3Bucket; transfers: UploadTransfers }): BlobStore["writePart"] {
  return (staged, input, body, onWritten) =>
    transfers.runPart(staged.key, input.partNumber, async (transfer, partTransfers) => {
      // Some stores treat a part without an upload ID as an object.
      if (staged.ref === "") throw uploadClosed();
      const sending = startPartUpload(bucket, staged, input);
      const digests = { sha256: createHash("sha256"), md5: createHash("md5") };
      let receivedBytes = 0;
      /** Throws UPLOAD_CLOSED for a closed upload in place of the error of a wrong part. */
      const refuse = async (error: AppError): Promise<never> => {
        await checkOpen(bucket, staged);
        throw error;
      };
      try {
        await transfer.receive(body, async (chunk) => {
          receivedBytes += chunk.length;
          if (receivedBytes > input.sizeBytes) await refuse(sizeMismatch(input, "more"));
          if (chunk.length === 0) return;
          digests.sha256.update(chunk);
          if (input.isUploaded) digests.md5.update(chunk);
          await sending.push(chunk);
        });
        if (receivedBytes < input.sizeBytes) await refuse(sizeMismatch(input, `${receivedBytes}`));
        if (digests.sha256.digest("hex") !== input.sha256) await refuse(digestMismatch(input));
        return await partTransfers.mutex.run(async () => {
          transfer.check();
          await checkNotComplete(bucket, staged);
          const same = input.isUploaded ? await findSame(bucket, staged, input, digests.md5.digest("hex")) : undefined;
          if (input.isUploaded && !same) await input.onReplace?.();
          const part = { etag: same ?? (await sending.finish()) ?? (await emptyPart(bucket, staged)) };
          transfer.markFinished();
          await onWritten(part);
          return part;
        });
      } finally {
        // Before the last bytes the store keeps nothing of the part. After its response, this has no effect.
        sending.abort();
      }
    });
}

/** Completes an empty part without a request. */
async function emptyPart(bucket: S3Bucket, staged: StagedBlob): Promise<string> {
  await checkOpen(bucket, staged);
  return EMPTY_ETAG;
}

async function checkOpen(bucket: S3Bucket, staged: StagedBlob): Promise<void> {
  await checkNotComplete(bucket, staged);
  await listPart(bucket, staged, 1);
}

/**
 * Throws UPLOAD_CLOSED if the upload was completed, because Swift accepts parts even then, into the completed object. Called just before the last
 * bytes, because processes that share the bucket do not notify each other of completions.
 */
async function checkNotComplete(bucket: S3Bucket, { key, ref }: StagedBlob): Promise<void> {
  // Checks in the order of creation: an object that left the first area since its check is in the second.
  for (const area of new Set([parseRef(ref).area, "visible"] as const))
    if ((await findObjectSize(bucket, area, key)) !== undefined) throw uploadClosed();
}

/** Returns the ETag of the stored part if it has the same bytes; undefined otherwise, and if the store's ETags are not MD5 digests. */
async function findSame(
  bucket: S3Bucket,
  staged: StagedBlob,
  { partNumber, sizeBytes }: PartInput,
  md5: string,
): Promise<string | undefined> {
  const part = await listPart(bucket, staged, partNumber);
  const isSame = part?.PartNumber === partNumber && part.Size === sizeBytes && part.ETag?.replaceAll('"', "") === md5;
  return isSame ? part.ETag : undefined;
}

/** Returns the first part from `partNumber` on. Throws UPLOAD_CLOSED. */
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
