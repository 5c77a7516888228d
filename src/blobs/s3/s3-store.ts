import { blobNotFound } from "../blob-errors.ts";
import { type BufferMemoryOptions, createBufferMemory } from "../buffer-memory.ts";
import type { BlobArea, BlobKey, BlobStore } from "../store.ts";
import { createUploadTransfers } from "../upload-transfers.ts";
import { openS3Bucket, type S3Area, type S3Options } from "./bucket.ts";
import { createUploadMode, type UploadsSetting } from "./capabilities.ts";
import { copyObject } from "./copy.ts";
import { fromS3, isNoObject, unlessExpected } from "./errors.ts";
import { listObjects, listS3Parts, listStaged, listUploadsOf } from "./list.ts";
import { createS3Marks } from "./marks.ts";
import { abortMultipartUpload, commitMultipartUpload, createMultipartUpload } from "./multipart.ts";
import { createS3PartWriter } from "./part-writer.ts";
import { createPresignParts, createReadPresigner, originsOf } from "./presign.ts";
import { findObjectSize, readObject } from "./read.ts";
import { parseRef } from "./upload-ref.ts";
import { createS3StreamWriter, type DirectUploads, isBuffered, putBuffered } from "./write-stream.ts";

export interface S3StoreOptions extends S3Options {
  /** Whether clients download directly from the store; otherwise the store has no `presignRead`. */
  readonly downloads: "redirect" | "proxy";
  /** Whether clients send parts directly to the store. */
  readonly uploads: UploadsSetting;
  /** Maximum number of bytes that the store copies in one request; default: 5 GB. */
  readonly maxCopyBytes?: number;
  /** The memory of direct uploads, and the maximum wait for it. */
  readonly memory?: BufferMemoryOptions;
  /** Number of entries per page of a list; default and maximum: 1000. */
  readonly pageSize?: number;
}

/** The minimum part size that every S3-compatible store accepts. */
const MIN_PART_BYTES = 5 * 1024 * 1024;
const MAX_PAGE_SIZE = 1000;

/**
 * Stores blobs as objects of a bucket, for any number of server instances: `<prefix>blobs/<key>` and `<prefix>quarantine/<key>`. Staged
 * bytes are a multipart upload under their final name, which a commit makes visible without a copy. A small direct upload stays in this
 * process until `commit` sends it.
 */
export async function openS3Store(options: S3StoreOptions): Promise<BlobStore & AsyncDisposable> {
  const bucket = await openS3Bucket(options);
  const { s3, locate } = bucket;
  const { pageSize = MAX_PAGE_SIZE } = options;
  const transfers = createUploadTransfers();
  const directUploads: DirectUploads = new Map();
  const uploadMemory = createBufferMemory(options.memory);
  const uploadMode = createUploadMode(bucket, options.uploads);

  const removeObject = async (area: S3Area, key: BlobKey) => {
    await unlessExpected(s3.deleteObject(locate(area, key)), isNoObject);
  };

  /**
   * Moves a blob: copies, then removes, so that a repetition finishes the move after a crash in between. Does nothing if the blob was moved before.
   */
  async function moveOnce(key: BlobKey, from: BlobArea, to: BlobArea): Promise<void> {
    const sizeBytes = await findObjectSize(bucket, from, key);
    if (sizeBytes === undefined) {
      if ((await findObjectSize(bucket, to, key)) === undefined) throw blobNotFound();
      return;
    }
    await copyObject(bucket, { key, from, to, sizeBytes, maxCopyBytes: options.maxCopyBytes });
    await removeObject(from, key);
  }

  return {
    kind: "s3",
    marks: createS3Marks(bucket),
    minPartBytes: MIN_PART_BYTES,
    isOwn: ({ ref }) => ref !== "",

    async stage(key, sizeBytes, stageOptions = {}) {
      // Throws unless the key is a blob key.
      locate("visible", key);
      if (sizeBytes === undefined || stageOptions.isDirect) {
        directUploads.set(key, { expectedBytes: sizeBytes, hasStarted: false, memory: uploadMemory.open(stageOptions.memoryGroups ?? []) });
        return { key, ref: "" };
      }
      // Only uploads with presigned parts use digests: some stores refuse uploads with a checksum algorithm.
      const open = stageOptions.allowsPresigned === true && uploadMode.usesPresignedParts();
      const area = open && uploadMode.copiesOnCompletion() ? "incoming" : "visible";
      return await createMultipartUpload(bucket, key, { area, allowsPresigned: open, usesChecksums: open && uploadMode.usesChecksums() });
    },

    writeAll: createS3StreamWriter({ bucket, transfers, uploads: directUploads }),
    writePart: createS3PartWriter({ bucket, transfers }),

    ...(options.uploads === "proxy"
      ? {}
      : {
          presignParts: await createPresignParts(bucket, uploadMode),
          writeOrigins: originsOf(options),
          detectCapabilities: uploadMode.detectCapabilities,
        }),
    listParts: (staged) => listS3Parts(bucket, staged),

    commit: (staged, parts) =>
      transfers.closeUpload(staged.key, async () => {
        const { key } = staged;
        const whole = directUploads.get(key);
        if (isBuffered(whole)) await putBuffered(bucket, key, whole);
        else
          await commitMultipartUpload(bucket, whole?.upload ?? staged, {
            parts: parts ?? whole?.parts,
            maxCopyBytes: options.maxCopyBytes,
          });
        whole?.memory.shrink(0);
        directUploads.delete(key);
      }),

    discard: (staged) =>
      transfers.closeUpload(staged.key, async () => {
        const { key } = staged;
        const whole = directUploads.get(key);
        whole?.memory.shrink(0);
        directUploads.delete(key);
        if (staged.ref === "" && whole?.hasStarted === false) return;
        const known = whole?.upload ?? staged;
        const { uploadId, area } = parseRef(known.ref);
        for (const upload of uploadId ? [known] : await listUploadsOf(bucket, key)) await abortMultipartUpload(bucket, upload);
        if (area === "incoming" || !uploadId) await removeObject("incoming", key);
        await removeObject("visible", key);
      }),

    read: (key, { area = "visible", ...options } = {}) => readObject(bucket, { area, key, ...options }),
    localPath: () => undefined,
    ...(options.downloads === "redirect" ? { presignRead: await createReadPresigner(bucket), readOrigins: originsOf(options) } : {}),
    size: (key, area = "visible") => findObjectSize(bucket, area, key),

    async remove(key) {
      await removeObject("visible", key);
      await removeObject("quarantine", key);
    },

    quarantine: (key) => moveOnce(key, "visible", "quarantine"),
    restore: (key) => moveOnce(key, "quarantine", "visible"),

    list: (area, after) => listObjects(bucket, area, { after, pageSize }),
    listStaged: (after) => listStaged(bucket, { after, pageSize }),

    readTime: () => bucket.readTime(),

    async check() {
      await fromS3(s3.headBucket({ Bucket: bucket.name }));
      return { freeBytes: undefined, freeInodes: undefined };
    },

    [Symbol.asyncDispose]: () => bucket[Symbol.asyncDispose](),
  };
}
