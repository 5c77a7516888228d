import { AppError } from "../errors.ts";
import { openS3Bucket, type S3Area, type S3Options } from "./s3-bucket.ts";
import { completeUpload } from "./s3-complete.ts";
import { copyObject } from "./s3-copy.ts";
import { fromS3, isNoObject, toS3Error, unlessS3 } from "./s3-errors.ts";
import { listObjects, listParts, listStaged, listUploadsOf } from "./s3-list.ts";
import { createS3PartWriter } from "./s3-parts.ts";
import { createPartsPresigner, createPresigner, originsOf } from "./s3-presign.ts";
import { objectSize, readObject } from "./s3-read.ts";
import { readRef, type S3Upload, toRef } from "./s3-staged.ts";
import { createUploadRoute, type UploadsSetting } from "./s3-uploads.ts";
import { createS3WholeWriter, dropUpload, type Wholes } from "./s3-whole.ts";
import type { BlobArea, BlobKey, BlobStore } from "./store.ts";
import { blobNotFound } from "./store-errors.ts";
import { createWriters } from "./upload-writers.ts";

export interface S3StoreOptions extends S3Options {
  /** Whether downloads go straight from the store; else it has no `presignRead`. */
  readonly downloads: "redirect" | "proxy";
  /** Whether parts of uploads go straight to the store. */
  readonly uploads: UploadsSetting;
  /** What the store copies in one call, 5 GB by default. */
  readonly maxCopyBytes?: number;
  /** Of listings, 1000 at most and by default. */
  readonly pageSize?: number;
}

/** What every S3-compatible store takes. */
const MIN_PART_BYTES = 5 * 1024 * 1024;
const MAX_PAGE_SIZE = 1000;

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
  const route = createUploadRoute(bucket, options.uploads);

  const drop = async (area: S3Area, key: BlobKey) => {
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

    async stage(key, sizeBytes, stageOptions = {}) {
      // Else it stays as every store knows it: some refuse what the digests of parts are announced with.
      const open = stageOptions.openToSenders === true && route.isDirect();
      const area = open && route.wantsCopy() ? "incoming" : "visible";
      const created = await fromS3(
        s3.createMultipartUpload({ ...locate(area, key), ...(open && route.withDigests() ? { ChecksumAlgorithm: "SHA256" } : {}) }),
      );
      if (!created.UploadId) throw toS3Error(new Error("The store gave no upload id"));
      const upload: S3Upload = {
        uploadId: created.UploadId,
        area,
        isOpenToSenders: open,
        hasDigests: created.ChecksumAlgorithm === "SHA256",
      };
      // An answer that was lost has left an upload that nobody knows of.
      if (created.$metadata.attempts !== 1)
        for (const other of await listUploadsOf(bucket, key))
          if (readRef(other.ref).uploadId !== upload.uploadId) await dropUpload(bucket, other);
      if (sizeBytes === undefined || stageOptions.whole) wholes.set(key, { sizeBytes });
      return { key, ref: toRef(upload) };
    },

    writeAll: createS3WholeWriter({ bucket, writers, wholes }),
    writePart: createS3PartWriter({ bucket, writers }),

    ...(options.uploads === "proxy"
      ? {}
      : { presignParts: await createPartsPresigner(bucket, route), writeOrigins: originsOf(options), learn: route.learn }),
    listParts: (staged) => listParts(bucket, staged),

    commit: (staged, parts) =>
      writers.closing(staged.key, async () => {
        await completeUpload(bucket, staged, { parts: parts ?? wholes.get(staged.key)?.parts, maxCopyBytes: options.maxCopyBytes });
        wholes.delete(staged.key);
      }),

    discard: (staged) =>
      writers.closing(staged.key, async () => {
        wholes.delete(staged.key);
        const { uploadId, area } = readRef(staged.ref);
        for (const upload of uploadId ? [staged] : await listUploadsOf(bucket, staged.key)) await dropUpload(bucket, upload);
        if (area === "incoming" || !uploadId) await drop("incoming", staged.key);
        await drop("visible", staged.key);
      }),

    read: (key, { area = "visible", ...options } = {}) => readObject(bucket, { area, key, ...options }),
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
    listStaged: (after) => listStaged(bucket, { after, pageSize }),

    async check() {
      await fromS3(s3.headBucket({ Bucket: bucket.name }));
      return { freeBytes: undefined };
    },

    [Symbol.asyncDispose]: () => bucket[Symbol.asyncDispose](),
  };
}
