import { freeChunk } from "../chunk-memory.ts";
import type { S3Bucket } from "./s3-bucket.ts";
import { isNoUpload, noEtag, toS3Error } from "./s3-errors.ts";
import { beginUpload, dropUpload } from "./s3-multipart.ts";
import { objectSize } from "./s3-read.ts";
import { SIGN_BODY, signBody } from "./s3-signing.ts";
import { locateUpload } from "./s3-staged.ts";
import type { BlobKey, BlobStore, CommittedPart, StagedBlob } from "./store.ts";
import { uploadClosed } from "./store-errors.ts";
import type { Writers } from "./upload-writers.ts";

/** What this process knows of a whole body under way. */
export interface Whole {
  readonly announcedBytes: number | undefined;
  /** Whether the store may have heard of it. */
  isBegun: boolean;
  /** All of it, until `commit`, where the first piece holds it. */
  held?: Uint8Array<ArrayBuffer>;
  /** Else the upload that its pieces are parts of, and at the end these. */
  upload?: StagedBlob;
  parts?: readonly CommittedPart[];
}

export type Wholes = Map<BlobKey, Whole>;

/** A whole body that `putWhole` makes visible. */
export type HeldWhole = Whole & { readonly held: Uint8Array<ArrayBuffer> };
export const isHeld = (whole: Whole | undefined): whole is HeldWhole => whole?.held !== undefined;

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
 * `BlobStore.writeAll` on S3. A body that the first piece holds is kept for `putWhole`: one request instead of three. Of a larger one, a piece
 * is sent as a part while the next is gathered, so it takes two pieces of memory at most, and a small one little more than itself; a piece
 * that is gathered can be sent again where the store fails.
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
      const { key } = staged;
      const staging = wholes.get(key);
      if (!staging) throw uploadClosed();
      const whole: Whole = staging;
      const aborter = new AbortController();
      const parts: CommittedPart[] = [];
      let partNumber = 1;
      let sizeBytes = 0;
      let gathered = createGathering(wholePartBytes(partNumber, whole.announcedBytes));
      /** The buffer of the part that was sent last, to be used again: they would pile up before they are collected. */
      let spare = new Uint8Array();
      let sending: Promise<void> = Promise.resolve();

      async function sendGathered(): Promise<void> {
        await sending;
        whole.isBegun = true;
        whole.upload ??= await beginUpload(bucket, key, { area: "visible", isOpenToSenders: false, withDigests: false });
        const bytes = gathered.bytes();
        sending = sendPart(bucket, whole.upload, { partNumber, bytes, signal: aborter.signal }).then((part) => void parts.push(part));
        // Seen by whoever awaits it next, not reported as unhandled meanwhile.
        sending.catch(() => undefined);
        partNumber += 1;
        const partBytes = wholePartBytes(partNumber, whole.announcedBytes);
        gathered = createGathering(partBytes, spare);
        spare = new Uint8Array(bytes.buffer);
      }

      try {
        await writer.receive(body, async (chunk) => {
          sizeBytes += chunk.length;
          for (let rest = chunk; rest.length > 0; rest = gathered.add(rest)) if (gathered.isFull()) await sendGathered();
        });
        if (whole.upload) {
          await sendGathered();
          await sending;
        }
        writer.check();
        if (whole.upload) {
          whole.parts = parts;
          for (const { buffer } of [gathered.bytes(), spare]) freeChunk(new Uint8Array(buffer));
        } else whole.held = gathered.bytes();
        return { sizeBytes };
      } catch (error) {
        aborter.abort();
        await sending.catch(() => undefined);
        if (whole.upload) await dropUpload(bucket, whole.upload).catch(() => undefined);
        throw error;
      }
    });
}

/** Makes a body that is held an object, all of it or nothing. An answer that was lost does no harm: the object is there or it is not. */
export async function putWhole(bucket: S3Bucket, key: BlobKey, whole: HeldWhole): Promise<void> {
  whole.isBegun = true;
  try {
    const command = new bucket.sdk.PutObjectCommand({ ...bucket.locate("visible", key), Body: whole.held });
    command.middlewareStack.add(signBody(), SIGN_BODY);
    const { ETag } = await bucket.s3.send(command);
    if (!ETag) throw noEtag();
    freeChunk(new Uint8Array(whole.held.buffer));
  } catch (error) {
    if ((await objectSize(bucket, "visible", key)) !== whole.held.length) throw toS3Error(error);
  }
}

async function sendPart(
  bucket: S3Bucket,
  staged: StagedBlob,
  { partNumber, bytes, signal }: { partNumber: number; bytes: Uint8Array; signal: AbortSignal },
): Promise<CommittedPart> {
  try {
    const command = new bucket.sdk.UploadPartCommand({ ...locateUpload(bucket, staged), PartNumber: partNumber, Body: bytes });
    command.middlewareStack.add(signBody(), SIGN_BODY);
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
        freeChunk(buffer);
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
