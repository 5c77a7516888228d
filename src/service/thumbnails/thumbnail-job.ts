import { availableParallelism } from "node:os";
import { type BlobKey, reducedKey, thumbnailKey } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import type { ReducedImages } from "../../lib/formats/reduced-images.ts";
import { readWebpSize } from "../../lib/formats/webp.ts";
import { createChunkMemory } from "../../lib/system/chunk-memory.ts";
import { memoryPlan } from "../../lib/system/memory-plan.ts";
import { THUMBNAIL_JOB } from "../files/enqueue-thumbnail.ts";
import { findReadable } from "../files/places.ts";
import { isReady } from "../files/ready.ts";
import { saveImages } from "../files/save-images.ts";

/** Maximum number of child processes, as memory permits. With several processors, one stays free for requests. */
const CONCURRENCY = Math.max(1, Math.min(memoryPlan.thumbnails, availableParallelism() - 1));

/**
 * The job that makes the thumbnail of an image, and its reduced image if it is large. A file whose image cannot be decoded gets none and is not tried
 * again.
 */
export const thumbnailJob: JobKind<Ctx> = {
  name: THUMBNAIL_JOB,
  slots: () => ({ total: CONCURRENCY, fair: { perKey: CONCURRENCY, large: CONCURRENCY } }),
  async run(ctx, job, signal) {
    const file = await findReadable(ctx.db, job.subject);
    if (!file || !isReady(file) || file.thumbnail_bytes !== null) return DONE;
    const result = await ctx.makeThumbnail?.(ctx.blobs.read(file.blob_key, { memory: createChunkMemory() }), signal);
    // Discards the blobs that an interrupted run has left.
    if (job.attempts > 1) for (const key of keysOf(file)) await ctx.blobs.discard({ key, ref: "" });
    if (result?.kind === "made") await store(ctx, file, result.images);
    else if (result) ctx.log.info({ fileId: file.id, reason: result.reason }, "no thumbnail");
    return DONE;
  },
};

const keysOf = ({ blob_key }: FileRow): readonly BlobKey[] => [reducedKey(blob_key), thumbnailKey(blob_key)];

/** Stores the images, then their sizes in the row, and removes them again if the file has ended or was blocked meanwhile. */
async function store(ctx: Ctx, file: FileRow, { thumbnail, reduced, width, height, placeholder }: ReducedImages): Promise<void> {
  const size = readWebpSize(thumbnail);
  if (!size || (reduced && !readWebpSize(reduced)))
    return void ctx.log.warn({ fileId: file.id }, "no thumbnail: the process wrote no WebP image");
  if (reduced) await write(ctx, reducedKey(file.blob_key), reduced);
  await write(ctx, thumbnailKey(file.blob_key), thumbnail);
  const isSaved = await saveImages(ctx.db, file.blob_key, {
    thumbnail_bytes: thumbnail.length,
    thumbnail_width: size.width,
    thumbnail_height: size.height,
    image_width: width,
    image_height: height,
    image_placeholder: placeholder ?? null,
    reduced_bytes: reduced?.length ?? null,
  });
  if (!isSaved) for (const key of keysOf(file)) await ctx.blobs.remove(key);
}

async function write(ctx: Ctx, key: BlobKey, bytes: Uint8Array): Promise<void> {
  const staged = await ctx.blobs.stage(key, bytes.length, { isDirect: true });
  try {
    await ctx.blobs.writeAll(staged, once(bytes));
    await ctx.blobs.commit(staged);
  } catch (error) {
    await ctx.blobs.discard(staged).catch(() => undefined);
    throw error;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
