import { AppError } from "../errors.ts";
import { openS3Bucket, type S3Area, type S3Options } from "./s3-bucket.ts";
import { completeUpload } from "./s3-complete.ts";
import { copyObject } from "./s3-copy.ts";
import { fromS3, isNoObject, unlessS3 } from "./s3-errors.ts";
import { listObjects, listParts, listStaged, listUploadsOf } from "./s3-list.ts";
import { beginUpload, dropUpload } from "./s3-multipart.ts";
import { createS3PartWriter } from "./s3-parts.ts";
import { createPartsPresigner, createPresigner, originsOf } from "./s3-presign.ts";
import { objectSize, readObject } from "./s3-read.ts";
import { readRef } from "./s3-staged.ts";
import { createUploadRoute, type UploadsSetting } from "./s3-uploads.ts";
import { createS3WholeWriter, isHeld, putWhole, type Wholes } from "./s3-whole.ts";
import type { BlobArea, BlobKey, BlobStore } from "./store.ts";
import { blobNotFound } from "./store-errors.ts";
import { createUploadMemory, type UploadMemoryOptions } from "./upload-memory.ts";
import { createWriters } from "./upload-writers.ts";

export interface S3StoreOptions extends S3Options {
  /** Whether downloads go straight from the store; else it has no `presignRead`. */
  readonly downloads: "redirect" | "proxy";
  /** Whether parts of uploads go straight to the store. */
  readonly uploads: UploadsSetting;
  /** What the store copies in one call, 5 GB by default. */
  readonly maxCopyBytes?: number;
  /** What bodies of whole uploads may hold in memory together, and how long one waits for room. */
  readonly memory?: UploadMemoryOptions;
  /** Of listings, 1000 at most and by default. */
  readonly pageSize?: number;
}

/** What every S3-compatible store takes. */
const MIN_PART_BYTES = 5 * 1024 * 1024;
const MAX_PAGE_SIZE = 1000;

/**
 * Blobs as objects of a bucket, for any number of server processes: `<prefix>blobs/<key>` and `<prefix>quarantine/<key>`.
 * Bytes under way are a multipart upload of their final name, which a completion makes visible without a copy; a small body that comes whole
 * is in this process until `commit` puts it there.
 */
export async function openS3Store(options: S3StoreOptions): Promise<BlobStore & AsyncDisposable> {
  const bucket = await openS3Bucket(options);
  const { s3, locate } = bucket;
  const { pageSize = MAX_PAGE_SIZE } = options;
  const writers = createWriters();
  const wholes: Wholes = new Map();
  const memory = createUploadMemory(options.memory);
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
      // Throws for what is no key.
      locate("visible", key);
      if (sizeBytes === undefined || stageOptions.whole) {
        wholes.set(key, { announcedBytes: sizeBytes, isBegun: false, hold: memory.open(stageOptions.memoryGroups ?? []) });
        return { key, ref: "" };
      }
      // Else it stays as every store knows it: some refuse what the digests of parts are announced with.
      const open = stageOptions.openToSenders === true && route.isDirect();
      const area = open && route.wantsCopy() ? "incoming" : "visible";
      return await beginUpload(bucket, key, { area, isOpenToSenders: open, withDigests: open && route.withDigests() });
    },

    writeAll: createS3WholeWriter({ bucket, writers, wholes }),
    writePart: createS3PartWriter({ bucket, writers }),

    ...(options.uploads === "proxy"
      ? {}
      : { presignParts: await createPartsPresigner(bucket, route), writeOrigins: originsOf(options), learn: route.learn }),
    listParts: (staged) => listParts(bucket, staged),

    commit: (staged, parts) =>
      writers.closing(staged.key, async () => {
        const { key } = staged;
        const whole = wholes.get(key);
        if (isHeld(whole)) await putWhole(bucket, key, whole);
        else await completeUpload(bucket, whole?.upload ?? staged, { parts: parts ?? whole?.parts, maxCopyBytes: options.maxCopyBytes });
        whole?.hold.shrink(0);
        wholes.delete(key);
      }),

    discard: (staged) =>
      writers.closing(staged.key, async () => {
        const { key } = staged;
        const whole = wholes.get(key);
        whole?.hold.shrink(0);
        wholes.delete(key);
        if (staged.ref === "" && whole?.isBegun === false) return;
        const known = whole?.upload ?? staged;
        const { uploadId, area } = readRef(known.ref);
        for (const upload of uploadId ? [known] : await listUploadsOf(bucket, key)) await dropUpload(bucket, upload);
        if (area === "incoming" || !uploadId) await drop("incoming", key);
        await drop("visible", key);
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
