import { Readable } from "node:stream";
import { AppError } from "../../errors.ts";
import { freeChunk } from "../../lib/system/chunk-memory.ts";
import { blobNotFound } from "../blob-errors.ts";
import type { BlobKey, ReadOptions } from "../store.ts";
import type { S3Area, S3Bucket } from "./bucket.ts";
import { isNoObject, toS3Error, unlessExpected } from "./errors.ts";

/** Maximum number of times that a broken transfer is resumed. */
const MAX_RESUMES = 3;

/** Implements `BlobStore.read` on S3. */
export async function* readObject(
  bucket: S3Bucket,
  { area, key, range, memory }: ReadOptions & { area: S3Area; key: BlobKey },
): AsyncGenerator<Uint8Array> {
  if (range && range.end <= range.start) {
    if ((await findObjectSize(bucket, area, key)) === undefined) throw blobNotFound();
    return;
  }
  let position = range?.start ?? 0;
  let end = range?.end;
  for (let resumes = 0; ; resumes++) {
    const opened = await open(bucket, { area, key, start: position, end });
    end ??= position + opened.sizeBytes;
    try {
      for await (const chunk of opened.body) {
        const bytes: Uint8Array = chunk;
        position += bytes.length;
        yield bytes;
        // Each chunk has fresh memory, which is freed for the next one.
        if (memory) freeChunk(bytes);
      }
    } catch (error) {
      if (resumes === MAX_RESUMES) throw toS3Error(error);
    } finally {
      opened.body.destroy();
    }
    if (position >= end) return;
    if (resumes === MAX_RESUMES) throw tooShort();
  }
}

/** Returns the size of an object in bytes; undefined if there is none. */
export async function findObjectSize({ s3, locate }: S3Bucket, area: S3Area, key: BlobKey): Promise<number | undefined> {
  return (await unlessExpected(s3.headObject(locate(area, key)), isNoObject))?.ContentLength;
}

async function open(
  { s3, locate }: S3Bucket,
  { area, key, start, end }: { area: S3Area; key: BlobKey; start: number; end: number | undefined },
): Promise<{ body: Readable; sizeBytes: number }> {
  const isWhole = start === 0 && end === undefined;
  const range = isWhole ? {} : { Range: `bytes=${start}-${end === undefined ? "" : end - 1}` };
  const object = { ...locate(area, key), ...range };
  try {
    const { Body, ContentLength, ContentRange = "bytes 0-" } = await s3.getObject(object);
    if (!(Body instanceof Readable)) throw new Error("The store responded without a body");
    const isRequestedRange = ContentRange.startsWith(`bytes ${start}-`) && (end === undefined || Number(ContentLength) <= end - start);
    if (isRequestedRange && ContentLength !== undefined) return { body: Body, sizeBytes: ContentLength };
    Body.destroy();
    // Gateways of some stores ignore ranges or lengths. Without this check, other bytes would pass as the requested ones.
    throw new Error(`The store responded with ${ContentLength} bytes, ${ContentRange}, not with the range ${range.Range ?? "of all"}`);
  } catch (error) {
    if (isNoObject(error)) throw blobNotFound();
    if (error instanceof Error && error.name === "InvalidRange") throw tooShort(error);
    throw toS3Error(error);
  }
}

const tooShort = (cause?: unknown): AppError =>
  new AppError("UNAVAILABLE", "The stored file is shorter than expected. Tell the administrator.", { cause });
