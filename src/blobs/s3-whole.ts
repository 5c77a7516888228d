import { freeChunk } from "../chunk-memory.ts";
import type { S3Bucket } from "./s3-bucket.ts";
import { isNoUpload, noEtag, toS3Error } from "./s3-errors.ts";
import { createGathering, FIRST_HOLD_BYTES, type Gathering } from "./s3-gathering.ts";
import { beginUpload, dropUpload } from "./s3-multipart.ts";
import { objectSize } from "./s3-read.ts";
import { type Sending, startSending } from "./s3-sending.ts";
import { SIGN_BODY, signBody } from "./s3-signing.ts";
import { locateUpload } from "./s3-staged.ts";
import type { BlobKey, BlobStore, CommittedPart, StagedBlob } from "./store.ts";
import { uploadClosed } from "./store-errors.ts";
import type { MemoryHold } from "./upload-memory.ts";
import type { Writers } from "./upload-writers.ts";

/** What this process knows of a whole body under way. */
export interface Whole {
  readonly announcedBytes: number | undefined;
  /** What it holds in memory. */
  readonly hold: MemoryHold;
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

/** How large part `partNumber` of a body is: 8 MB, and more where 10,000 of them would not hold it. */
function wholePartBytes(partNumber: number, sizeBytes: number | undefined): number {
  if (sizeBytes === undefined) return PART_BYTES * 2 ** Math.floor((partNumber - 1) / DOUBLE_AFTER);
  return Math.max(PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / MB) * MB);
}

/**
 * `BlobStore.writeAll` on S3. A body that the first piece holds is kept for `putWhole`: one request instead of three. Of a larger one, a piece
 * is sent as a part while the next is gathered, so it takes two pieces of memory at most, and a small one little more than itself; a piece
 * that is gathered can be sent again where the store fails. Where there is no memory for it, it is a part that is sent as it comes.
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
      const whole = wholes.get(staged.key);
      if (!whole) throw uploadClosed();
      const pieces = createPieces(bucket, staged.key, whole);
      let sizeBytes = 0;
      try {
        await writer.receive(body, async (chunk) => {
          sizeBytes += chunk.length;
          await pieces.push(chunk);
        });
        const finished = await pieces.finish();
        writer.check();
        Object.assign(whole, finished);
        return { sizeBytes };
      } catch (error) {
        await pieces.abort();
        throw error;
      }
    });
}

interface Pieces {
  push(chunk: Uint8Array): Promise<void>;
  /** All of it, or the parts that it has become. */
  finish(): Promise<Pick<Whole, "held" | "parts">>;
  /** Nothing of it is left, here and in the store. */
  abort(): Promise<void>;
}

function createPieces(bucket: S3Bucket, key: BlobKey, whole: Whole): Pieces {
  const { announcedBytes, hold } = whole;
  const aborter = new AbortController();
  const parts: CommittedPart[] = [];
  let partNumber = 1;
  /** Where the part begins that is gathered, or sent as it comes. */
  let offset = 0;
  let gathered = gatherPart();
  /** The buffer of the part that was sent last, to be used again: they would pile up before they are collected. */
  let spare = new Uint8Array();
  let sending: Promise<void> = Promise.resolve();
  let streamed: { readonly part: Sending; readonly sizeBytes: number; leftBytes: number } | undefined;

  function gatherPart(spare?: Uint8Array<ArrayBuffer>): Gathering {
    const expectedBytes = announcedBytes === undefined ? undefined : announcedBytes - offset;
    return createGathering({ capacityBytes: wholePartBytes(partNumber, announcedBytes), expectedBytes, ...(spare ? { spare } : {}) });
  }

  async function begin(): Promise<StagedBlob> {
    whole.isBegun = true;
    whole.upload ??= await beginUpload(bucket, key, { area: "visible", isOpenToSenders: false, withDigests: false });
    return whole.upload;
  }

  async function sendGathered(): Promise<void> {
    await sending;
    const upload = await begin();
    const bytes = gathered.bytes();
    sending = sendPart(bucket, upload, { partNumber, bytes, signal: aborter.signal }).then((part) => void parts.push(part));
    // Seen by whoever awaits it next, not reported as unhandled meanwhile.
    sending.catch(() => undefined);
    partNumber += 1;
    offset += bytes.length;
    gathered = gatherPart(spare);
    spare = new Uint8Array(bytes.buffer);
  }

  /** Whether so many more bytes may be gathered; where not, the part has to be sent as it comes. */
  async function makeRoom(count: number): Promise<boolean> {
    if (hold.bytes === 0) await hold.hold(Math.min(gathered.roomFor(count), FIRST_HOLD_BYTES), "first");
    const isStreamable = streamableBytes() > gathered.bytes().length;
    if (hold.tryHold(gathered.roomFor(count) + spare.length, isStreamable || spare.length > 0 ? "spare" : "needed")) return true;
    if (spare.length > 0) {
      await sending;
      gathered.moveTo(spare);
      spare = new Uint8Array();
      hold.shrink(gathered.roomFor(0));
      return await makeRoom(count);
    }
    if (isStreamable) return false;
    await hold.hold(gathered.roomFor(count), "needed");
    return true;
  }

  /** The size of this part, which the store wants to know before its bytes; none where it is not known. */
  const streamableBytes = (): number =>
    announcedBytes === undefined ? 0 : Math.min(wholePartBytes(partNumber, announcedBytes), announcedBytes - offset);

  async function startStreaming(): Promise<void> {
    await sending;
    const upload = await begin();
    const sizeBytes = streamableBytes();
    const part = startSending(bucket, upload, { partNumber, sizeBytes });
    const bytes = gathered.bytes();
    streamed = { part, sizeBytes, leftBytes: sizeBytes - bytes.length };
    await part.push(bytes);
    gathered.free();
    hold.shrink(FIRST_HOLD_BYTES);
  }

  async function pushStreamed(chunk: Uint8Array): Promise<Uint8Array> {
    if (!streamed) return chunk;
    const piece = chunk.subarray(0, streamed.leftBytes);
    await streamed.part.push(piece);
    streamed.leftBytes -= piece.length;
    if (streamed.leftBytes === 0) await endStreaming();
    return chunk.subarray(piece.length);
  }

  async function endStreaming(): Promise<void> {
    const etag = await streamed?.part.finish();
    if (!streamed || etag === undefined) return;
    parts.push({ partNumber, etag });
    partNumber += 1;
    offset += streamed.sizeBytes;
    streamed = undefined;
    gathered = gatherPart();
  }

  return {
    async push(chunk) {
      for (let rest = chunk; rest.length > 0; ) {
        if (streamed) rest = await pushStreamed(rest);
        else {
          if (gathered.isFull()) await sendGathered();
          if (await makeRoom(rest.length)) rest = gathered.add(rest);
          else await startStreaming();
        }
      }
    },
    async finish() {
      if (!whole.upload) {
        const held = gathered.bytes();
        hold.shrink(held.buffer.byteLength);
        return { held };
      }
      // The store refuses it where bytes are missing.
      await endStreaming();
      if (gathered.bytes().length > 0) await sendGathered();
      await sending;
      gathered.free();
      freeChunk(spare);
      hold.shrink(0);
      return { parts };
    },
    async abort() {
      aborter.abort();
      streamed?.part.abort();
      await sending.catch(() => undefined);
      gathered.free();
      hold.shrink(0);
      if (whole.upload) await dropUpload(bucket, whole.upload).catch(() => undefined);
    },
  };
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
