import type { S3Bucket } from "./s3-bucket.ts";
import { isNoObject, isNoUpload, noEtag, toS3Error, unlessS3 } from "./s3-errors.ts";
import { signBody } from "./s3-signing.ts";
import { locateUpload } from "./s3-staged.ts";
import type { BlobKey, BlobStore, CommittedPart, StagedBlob } from "./store.ts";
import { uploadClosed } from "./store-errors.ts";
import type { Writers } from "./upload-writers.ts";

/** What this process knows of whole bodies under way: the size that was announced, and at the end the parts they were sent in. */
export type Wholes = Map<BlobKey, { readonly sizeBytes: number | undefined; readonly parts?: readonly CommittedPart[] }>;

const MB = 1024 * 1024;
const PART_BYTES = 8 * MB;
const MAX_PARTS = 10_000;
/** Where the size is not known, parts double after so many, so that 10,000 hold 484 GB, and the first 16 GB take little memory. */
const DOUBLE_AFTER = 2000;
const FIRST_BUFFER_BYTES = 64 * 1024;

/** How large part `partNumber` of a body is: 8 MB, and more where 10,000 of them would not hold it. */
function wholePartBytes(partNumber: number, sizeBytes: number | undefined): number {
  if (sizeBytes === undefined) return PART_BYTES * 2 ** Math.floor((partNumber - 1) / DOUBLE_AFTER);
  return Math.max(PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / MB) * MB);
}

/**
 * `BlobStore.writeAll` on S3. One part is sent while the next is gathered, so a body takes two parts of memory at most, and a small one
 * little more than itself; a part that is gathered can be sent again where the store fails.
 */
export function createS3WholeWriter({
  bucket,
  writers,
  wholes,
}: {
  bucket: S3Bucket;
  writers: Writers;
  wholes: Wholes;
}): BlobStore["writeAll"] {
  return (staged, body) =>
    writers.run(staged.key, async (writer) => {
      const announced = wholes.get(staged.key)?.sizeBytes;
      const aborter = new AbortController();
      const parts: CommittedPart[] = [];
      let partNumber = 1;
      let sizeBytes = 0;
      let gathered = createGathering(wholePartBytes(partNumber, announced));
      /** The buffer of the part that was sent last, to be used again: they would pile up before they are collected. */
      let spare: Uint8Array<ArrayBuffer> | undefined;
      let sending: Promise<void> = Promise.resolve();

      function sendGathered(): void {
        const bytes = gathered.bytes();
        sending = sendPart(bucket, staged, { partNumber, bytes, signal: aborter.signal }).then((part) => void parts.push(part));
        // Seen by whoever awaits it next, not reported as unhandled meanwhile.
        sending.catch(() => undefined);
        partNumber += 1;
        const partBytes = wholePartBytes(partNumber, announced);
        gathered = createGathering(partBytes, spare);
        spare = new Uint8Array(bytes.buffer);
      }

      try {
        await writer.receive(body, async (chunk) => {
          sizeBytes += chunk.length;
          for (let rest = chunk; rest.length > 0; ) {
            rest = gathered.add(rest);
            if (!gathered.isFull()) continue;
            await sending;
            sendGathered();
          }
        });
        await sending;
        if (gathered.bytes().length > 0) sendGathered();
        await sending;
        writer.check();
        wholes.set(staged.key, { sizeBytes, parts });
        return { sizeBytes };
      } catch (error) {
        aborter.abort();
        await sending.catch(() => undefined);
        await dropUpload(bucket, staged).catch(() => undefined);
        throw error;
      }
    });
}

/** Forgets the parts of an upload; fine where there are none. */
export async function dropUpload(bucket: S3Bucket, staged: StagedBlob): Promise<void> {
  await unlessS3(bucket.s3.abortMultipartUpload(locateUpload(bucket, staged)), (error) => isNoUpload(error) || isNoObject(error));
}

async function sendPart(
  bucket: S3Bucket,
  staged: StagedBlob,
  { partNumber, bytes, signal }: { partNumber: number; bytes: Uint8Array; signal: AbortSignal },
): Promise<CommittedPart> {
  try {
    const command = new bucket.sdk.UploadPartCommand({ ...locateUpload(bucket, staged), PartNumber: partNumber, Body: bytes });
    signBody(command);
    const { ETag } = await bucket.s3.send(command, { abortSignal: signal });
    if (!ETag) throw noEtag();
    return { partNumber, etag: ETag };
  } catch (error) {
    throw isNoUpload(error) ? uploadClosed() : toS3Error(error);
  }
}

interface Gathering {
  /** Copies what there is room for; the rest is returned. */
  add(chunk: Uint8Array): Uint8Array;
  isFull(): boolean;
  bytes(): Uint8Array<ArrayBuffer>;
}

/** Grows to `capacityBytes` as bytes come, twice as large each time, from the buffer that is given. */
function createGathering(capacityBytes: number, spare = new Uint8Array()): Gathering {
  let buffer = spare;
  let filledBytes = 0;
  return {
    add(chunk) {
      const count = Math.min(chunk.length, capacityBytes - filledBytes);
      if (filledBytes + count > buffer.length) {
        const grown = new Uint8Array(Math.min(capacityBytes, Math.max(FIRST_BUFFER_BYTES, 2 * buffer.length, filledBytes + count)));
        grown.set(buffer.subarray(0, filledBytes));
        buffer = grown;
      }
      buffer.set(chunk.subarray(0, count), filledBytes);
      filledBytes += count;
      return chunk.subarray(count);
    },
    isFull: () => filledBytes === capacityBytes,
    bytes: () => buffer.subarray(0, filledBytes),
  };
}
