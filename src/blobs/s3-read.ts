import { Readable } from "node:stream";
import { freeChunk } from "../chunk-memory.ts";
import { AppError } from "../errors.ts";
import type { S3Area, S3Bucket } from "./s3-bucket.ts";
import { isNoObject, toS3Error, unlessS3 } from "./s3-errors.ts";
import type { BlobKey, ReadOptions } from "./store.ts";
import { blobNotFound } from "./store-errors.ts";

/** How often a transfer that broke is gone on with, each time from where it stopped. */
const MAX_RESUMES = 3;

/** `BlobStore.read` on S3. */
export async function* readObject(
  bucket: S3Bucket,
  { area, key, range, memory }: ReadOptions & { area: S3Area; key: BlobKey },
): AsyncGenerator<Uint8Array> {
  if (range && range.end <= range.start) {
    if ((await objectSize(bucket, area, key)) === undefined) throw blobNotFound();
    return;
  }
  let at = range?.start ?? 0;
  let end = range?.end;
  for (let resumes = 0; ; resumes++) {
    const opened = await open(bucket, { area, key, start: at, end });
    end ??= at + opened.sizeBytes;
    try {
      for await (const chunk of opened.body) {
        const bytes: Uint8Array = chunk;
        at += bytes.length;
        yield bytes;
        // They come in memory of their own; given back, it is the next ones'.
        if (memory) freeChunk(bytes);
      }
    } catch (error) {
      if (resumes === MAX_RESUMES) throw toS3Error(error);
    } finally {
      opened.body.destroy();
    }
    if (at >= end) return;
    if (resumes === MAX_RESUMES) throw endsEarly();
  }
}

/** The bytes that an object has; undefined where there is none. */
export async function objectSize({ s3, locate }: S3Bucket, area: S3Area, key: BlobKey): Promise<number | undefined> {
  return (await unlessS3(s3.headObject(locate(area, key)), isNoObject))?.ContentLength;
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
    if (!(Body instanceof Readable)) throw new Error("The store answered without a body");
    const isAsAsked = ContentRange.startsWith(`bytes ${start}-`) && (end === undefined || Number(ContentLength) <= end - start);
    if (isAsAsked && ContentLength !== undefined) return { body: Body, sizeBytes: ContentLength };
    Body.destroy();
    // A gateway in front of some stores passes over ranges, or lengths: else other bytes than were asked for would be taken for these.
    throw new Error(`The store answered with ${ContentLength} bytes, ${ContentRange}, not with the range ${range.Range ?? "of all"}`);
  } catch (error) {
    if (isNoObject(error)) throw blobNotFound();
    if (error instanceof Error && error.name === "InvalidRange") throw endsEarly(error);
    throw toS3Error(error);
  }
}

const endsEarly = (cause?: unknown): AppError =>
  new AppError("UNAVAILABLE", "The bytes of this file end too early. Please tell the operator.", { cause });
