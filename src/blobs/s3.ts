import { AppError } from "../errors.ts";
import { blobNotFound } from "./disk-errors.ts";
import { createWriters } from "./disk-writers.ts";
import { openS3Bucket, type S3Bucket, type S3Options } from "./s3-bucket.ts";
import { copyObject } from "./s3-copy.ts";
import { fromS3, isNoObject, noEtag, s3Code, toS3Error, unlessS3 } from "./s3-errors.ts";
import { listObjects, listUploads, listUploadsOf } from "./s3-list.ts";
import { createS3PartWriter, EMPTY_ETAG } from "./s3-parts.ts";
import { createPresigner, originsOf } from "./s3-presign.ts";
import { objectSize, readObject } from "./s3-read.ts";
import { createS3WholeWriter, dropUpload, type SentPart, type Wholes } from "./s3-whole.ts";
import type { BlobArea, BlobKey, BlobStore, StagedBlob } from "./store.ts";

export interface S3StoreOptions extends S3Options {
  /** Whether downloads go straight from the store; else it has no `presignRead`. */
  readonly downloads: "redirect" | "proxy";
  /** What the store copies in one call, 5 GB by default. */
  readonly maxCopyBytes?: number;
  /** Of listings, 1000 at most and by default. */
  readonly pageSize?: number;
}

/** What every S3-compatible store takes. */
const MIN_PART_BYTES = 5 * 1024 * 1024;
const MAX_PAGE_SIZE = 1000;
/** Amazon's store may take minutes over it, and says so by its answer's head at once. */
const COMPLETE_TIMEOUT_MS = 10 * 60_000;

/**
 * Blobs as objects of a bucket, for any number of server processes: `<prefix>blobs/<key>` and `<prefix>quarantine/<key>`.
 * Bytes under way are a multipart upload of their final name, which a completion makes visible without a copy.
 */
export async function openS3Store(options: S3StoreOptions): Promise<BlobStore & AsyncDisposable> {
  const bucket = await openS3Bucket(options);
  const { s3, locate } = bucket;
  const { pageSize = MAX_PAGE_SIZE } = options;
  const writers = createWriters();
  const wholes: Wholes = new Map();

  const drop = async (area: BlobArea, key: BlobKey) => {
    await unlessS3(s3.deleteObject(locate(area, key)), isNoObject);
  };

  /** Copied, then removed: a crash in between leaves both, and doing it again ends it. */
  async function move(key: BlobKey, from: BlobArea, to: BlobArea): Promise<void> {
    const sizeBytes = await objectSize(bucket, from, key);
    if (sizeBytes === undefined) throw blobNotFound();
    await copyObject(bucket, { key, from, to, sizeBytes, maxCopyBytes: options.maxCopyBytes });
    await drop(from, key);
  }

  return {
    kind: "s3",
    minPartBytes: MIN_PART_BYTES,
    isOwn: ({ ref }) => ref !== "",

    async stage(key, sizeBytes, { whole } = {}) {
      const { UploadId, $metadata } = await fromS3(s3.createMultipartUpload(locate("visible", key)));
      if (!UploadId) throw toS3Error(new Error("The store gave no upload id"));
      // An answer that was lost has left an upload that nobody knows of.
      if ($metadata.attempts !== 1)
        for (const { ref } of await listUploadsOf(bucket, key)) if (ref !== UploadId) await dropUpload(bucket, { key, ref });
      if (sizeBytes === undefined || whole) wholes.set(key, { sizeBytes });
      return { key, ref: UploadId };
    },

    writeAll: createS3WholeWriter({ bucket, writers, wholes }),
    writePart: createS3PartWriter({ bucket, writers }),

    commit: (staged, parts) =>
      writers.closing(staged.key, async () => {
        await complete(bucket, staged, parts ?? wholes.get(staged.key)?.parts);
        wholes.delete(staged.key);
      }),

    discard: (staged) =>
      writers.closing(staged.key, async () => {
        wholes.delete(staged.key);
        for (const upload of staged.ref ? [staged] : await listUploadsOf(bucket, staged.key)) await dropUpload(bucket, upload);
        await drop("visible", staged.key);
      }),

    read: (key, { range, area = "visible" } = {}) => readObject(bucket, { area, key, range }),
    localPath: () => undefined,
    ...(options.downloads === "redirect" ? { presignRead: await createPresigner(bucket), readOrigins: originsOf(options) } : {}),
    size: (key, area = "visible") => objectSize(bucket, area, key),

    async remove(key) {
      await drop("visible", key);
      await drop("quarantine", key);
    },

    async quarantine(key) {
      try {
        await move(key, "visible", "quarantine");
      } catch (error) {
        const isMoved =
          error instanceof AppError && error.code === "NOT_FOUND" && (await objectSize(bucket, "quarantine", key)) !== undefined;
        if (!isMoved) throw error;
      }
    },

    restore: (key) => move(key, "quarantine", "visible"),

    list: (area, after) => listObjects(bucket, area, { after, pageSize }),
    listStaged: (after) => listUploads(bucket, { after, pageSize }),

    async check() {
      await fromS3(s3.headBucket({ Bucket: bucket.name }));
      return { freeBytes: undefined };
    },

    [Symbol.asyncDispose]: () => bucket[Symbol.asyncDispose](),
  };
}

/**
 * Makes an upload visible. An answer that was lost does no harm: whatever the store says of an upload that it does not know any more, its
 * object is there or it is not.
 */
async function complete(bucket: S3Bucket, staged: StagedBlob, parts: readonly SentPart[] | undefined): Promise<void> {
  const { s3, locate } = bucket;
  const target = locate("visible", staged.key);
  try {
    // To some stores, an upload without an id is no upload but an object.
    if (!parts || staged.ref === "") throw blobNotFound();
    if (parts.every(({ etag }) => etag === EMPTY_ETAG)) {
      // Some stores refuse an upload without bytes.
      await s3.putObject({ ...target, Body: new Uint8Array() });
      return await dropUpload(bucket, staged);
    }
    const completed = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }));
    const { ETag } = await s3.completeMultipartUpload(
      { ...target, UploadId: staged.ref, MultipartUpload: { Parts: completed } },
      { requestTimeout: COMPLETE_TIMEOUT_MS },
    );
    if (!ETag) throw noEtag();
  } catch (error) {
    if ((await objectSize(bucket, "visible", staged.key)) !== undefined) return;
    if (error instanceof AppError) throw error;
    const code = s3Code(error);
    if (code === "NoSuchUpload") throw blobNotFound();
    if (code === "InvalidPart") throw partReplaced(error);
    throw toS3Error(error);
  }
}

/** Two processes took different bytes for the same part at the same time; the record is of those that the store did not keep. */
const partReplaced = (cause: unknown): AppError =>
  new AppError("CONFLICT", "A part of this upload was sent twice at the same time. Abort the upload and begin a new one.", { cause });
