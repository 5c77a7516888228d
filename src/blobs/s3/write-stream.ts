import { freeChunk } from "../../lib/system/chunk-memory.ts";
import { uploadClosed } from "../blob-errors.ts";
import type { MemoryReservation } from "../buffer-memory.ts";
import type { BlobKey, BlobStore, CommittedPart, StagedBlob } from "../store.ts";
import type { UploadTransfers } from "../upload-transfers.ts";
import type { S3Bucket } from "./bucket.ts";
import { isNoUpload, missingEtag, toS3Error } from "./errors.ts";
import { createGrowableBuffer, FIRST_MEMORY_BYTES, type GrowableBuffer } from "./growable-buffer.ts";
import { abortMultipartUpload, createMultipartUpload } from "./multipart.ts";
import { findObjectSize } from "./read.ts";
import { type PartUpload, SIGN_BODY, signBody, startPartUpload } from "./send-part.ts";
import { locateUpload } from "./upload-ref.ts";

/** A direct upload in this process. */
export interface DirectUpload {
  readonly expectedBytes: number | undefined;
  /** The memory that the upload has reserved. */
  readonly memory: MemoryReservation;
  /** Whether the store may have received any of the upload. */
  hasStarted: boolean;
  /** The whole body until `commit`, if it fits in the first part. */
  buffered?: Uint8Array<ArrayBuffer>;
  /** The multipart upload of a body that does not fit in the first part and, at the end, its parts. */
  upload?: StagedBlob;
  parts?: readonly CommittedPart[];
}

export type DirectUploads = Map<BlobKey, DirectUpload>;

/** A direct upload that `putBuffered` makes visible. */
export type BufferedUpload = DirectUpload & { readonly buffered: Uint8Array<ArrayBuffer> };
export const isBuffered = (direct: DirectUpload | undefined): direct is BufferedUpload => direct?.buffered !== undefined;

const MB = 1024 * 1024;
const PART_BYTES = 8 * MB;
const MAX_PARTS = 10_000;
/** Number of parts after which part sizes double if the size is unknown: 10,000 parts contain 484 GB, and the first 16 GB need little memory. */
const DOUBLE_AFTER = 2000;

/** Returns the size of a part: 8 MB, or more if 10,000 parts of 8 MB would not contain the body. */
function partBytesAt(partNumber: number, sizeBytes: number | undefined): number {
  if (sizeBytes === undefined) return PART_BYTES * 2 ** Math.floor((partNumber - 1) / DOUBLE_AFTER);
  return Math.max(PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / MB) * MB);
}

/**
 * Creates `BlobStore.writeAll` on S3. A body that fits in the first part is buffered for `putBuffered`, which takes one request instead of three. Of
 * a larger body, one part is sent while the next is buffered, so that a part can be sent again if the store fails; without memory for that, a part is
 * streamed.
 */
export function createS3StreamWriter({
  bucket,
  transfers,
  uploads,
}: {
  bucket: S3Bucket;
  transfers: UploadTransfers;
  uploads: DirectUploads;
}): BlobStore["writeAll"] {
  return (staged, body) =>
    transfers.run(staged.key, async (transfer) => {
      const direct = uploads.get(staged.key);
      if (!direct) throw uploadClosed();
      const sequence = createPartSequence(bucket, staged.key, direct);
      let sizeBytes = 0;
      try {
        await transfer.receive(body, async (chunk) => {
          sizeBytes += chunk.length;
          await sequence.push(chunk);
        });
        const finished = await sequence.finish();
        transfer.check();
        Object.assign(direct, finished);
        return { sizeBytes };
      } catch (error) {
        await sequence.abort();
        throw error;
      }
    });
}

interface PartSequence {
  push(chunk: Uint8Array): Promise<void>;
  /** Returns the whole body, or its uploaded parts. */
  finish(): Promise<Pick<DirectUpload, "buffered" | "parts">>;
  /** Removes everything from memory and from the store. */
  abort(): Promise<void>;
}

function createPartSequence(bucket: S3Bucket, key: BlobKey, direct: DirectUpload): PartSequence {
  const { expectedBytes, memory } = direct;
  const aborter = new AbortController();
  const parts: CommittedPart[] = [];
  let partNumber = 1;
  /** The offset of the current part. */
  let offset = 0;
  let buffer = newBuffer();
  /** The buffer of the last sent part, which is reused: unused ones would accumulate before they are collected. */
  let spare = new Uint8Array();
  let sending: Promise<void> = Promise.resolve();
  let streamed: { readonly part: PartUpload; readonly sizeBytes: number; leftBytes: number } | undefined;

  function newBuffer(spare?: Uint8Array<ArrayBuffer>): GrowableBuffer {
    const remainingBytes = expectedBytes === undefined ? undefined : expectedBytes - offset;
    const capacityBytes = partBytesAt(partNumber, expectedBytes);
    return createGrowableBuffer({ capacityBytes, expectedBytes: remainingBytes, ...(spare ? { spare } : {}) });
  }

  async function ensureUpload(): Promise<StagedBlob> {
    direct.hasStarted = true;
    direct.upload ??= await createMultipartUpload(bucket, key, { area: "visible", allowsPresigned: false, usesChecksums: false });
    return direct.upload;
  }

  async function sendBuffer(): Promise<void> {
    await sending;
    const upload = await ensureUpload();
    const bytes = buffer.bytes();
    sending = sendPart(bucket, upload, { partNumber, bytes, signal: aborter.signal }).then((part) => void parts.push(part));
    // The promise is awaited later, and an error must not be reported as unhandled meanwhile.
    sending.catch(() => undefined);
    partNumber += 1;
    offset += bytes.length;
    buffer = newBuffer(spare);
    spare = new Uint8Array(bytes.buffer);
  }

  /** Returns whether `count` more bytes may be buffered; if not, the part must be streamed. */
  async function makeRoom(count: number): Promise<boolean> {
    if (memory.bytes === 0) await memory.grow(Math.min(buffer.roomFor(count), FIRST_MEMORY_BYTES), "first");
    const isStreamable = streamableBytes() > buffer.bytes().length;
    if (memory.tryGrow(buffer.roomFor(count) + spare.length, isStreamable || spare.length > 0 ? "spare" : "needed")) return true;
    if (spare.length > 0) {
      await sending;
      buffer.moveTo(spare);
      spare = new Uint8Array();
      memory.shrink(buffer.roomFor(0));
      return await makeRoom(count);
    }
    if (isStreamable) return false;
    await memory.grow(buffer.roomFor(count), "needed");
    return true;
  }

  /** Returns the size of this part, which the store requires in advance; 0 if unknown. */
  const streamableBytes = (): number =>
    expectedBytes === undefined ? 0 : Math.min(partBytesAt(partNumber, expectedBytes), expectedBytes - offset);

  async function startStreaming(): Promise<void> {
    await sending;
    const upload = await ensureUpload();
    const sizeBytes = streamableBytes();
    const part = startPartUpload(bucket, upload, { partNumber, sizeBytes });
    const bytes = buffer.bytes();
    streamed = { part, sizeBytes, leftBytes: sizeBytes - bytes.length };
    await part.push(bytes);
    buffer.free();
    memory.shrink(FIRST_MEMORY_BYTES);
  }

  async function pushStreamed(chunk: Uint8Array): Promise<Uint8Array> {
    if (!streamed) return chunk;
    const bytes = chunk.subarray(0, streamed.leftBytes);
    await streamed.part.push(bytes);
    streamed.leftBytes -= bytes.length;
    if (streamed.leftBytes === 0) await endStreaming();
    return chunk.subarray(bytes.length);
  }

  async function endStreaming(): Promise<void> {
    const etag = await streamed?.part.finish();
    if (!streamed || etag === undefined) return;
    parts.push({ partNumber, etag });
    partNumber += 1;
    offset += streamed.sizeBytes;
    streamed = undefined;
    buffer = newBuffer();
  }

  return {
    async push(chunk) {
      for (let rest = chunk; rest.length > 0; ) {
        if (streamed) rest = await pushStreamed(rest);
        else {
          if (buffer.isFull()) await sendBuffer();
          if (await makeRoom(rest.length)) rest = buffer.add(rest);
          else await startStreaming();
        }
      }
    },
    async finish() {
      if (!direct.upload) {
        const buffered = buffer.bytes();
        memory.shrink(buffered.buffer.byteLength);
        return { buffered };
      }
      // The store refuses a part with missing bytes.
      await endStreaming();
      if (buffer.bytes().length > 0) await sendBuffer();
      await sending;
      buffer.free();
      freeChunk(spare);
      memory.shrink(0);
      return { parts };
    },
    async abort() {
      aborter.abort();
      streamed?.part.abort();
      await sending.catch(() => undefined);
      buffer.free();
      memory.shrink(0);
      if (direct.upload) await abortMultipartUpload(bucket, direct.upload).catch(() => undefined);
    },
  };
}

/** Stores a buffered body as an object, atomically. Safe if the response was lost: the object exists or not. */
export async function putBuffered(bucket: S3Bucket, key: BlobKey, direct: BufferedUpload): Promise<void> {
  direct.hasStarted = true;
  try {
    const command = new bucket.sdk.PutObjectCommand({ ...bucket.locate("visible", key), Body: direct.buffered });
    command.middlewareStack.add(signBody(), SIGN_BODY);
    const { ETag } = await bucket.s3.send(command);
    if (!ETag) throw missingEtag();
    freeChunk(new Uint8Array(direct.buffered.buffer));
  } catch (error) {
    if ((await findObjectSize(bucket, "visible", key)) !== direct.buffered.length) throw toS3Error(error);
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
    if (!ETag) throw missingEtag();
    return { partNumber, etag: ETag };
  } catch (error) {
    throw isNoUpload(error) ? uploadClosed() : toS3Error(error);
  }
}
