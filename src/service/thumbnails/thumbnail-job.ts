import { availableParallelism } from "node:os";
import { thumbnailKey } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { readWebpSize } from "../../lib/formats/webp.ts";
import { createChunkMemory } from "../../lib/system/chunk-memory.ts";
import { memoryPlan } from "../../lib/system/memory-plan.ts";
import { THUMBNAIL_JOB } from "../files/enqueue-thumbnail.ts";
import { findReadable } from "../files/places.ts";
import { saveThumbnail } from "../files/save-thumbnail.ts";
import { isReady } from "../files/viewable.ts";

/** Maximum number of child processes, as memory permits. With several processors, one stays free for requests. */
const CONCURRENCY = Math.max(1, Math.min(memoryPlan.thumbnails, availableParallelism() - 1));

/** The job that makes the thumbnail of an image. A file whose image cannot be decoded gets none and is not tried again. */
export const thumbnailJob: JobKind<Ctx> = {
  name: THUMBNAIL_JOB,
  slots: () => ({ total: CONCURRENCY, fair: { perKey: CONCURRENCY, large: CONCURRENCY } }),
  async run(ctx, job, signal) {
    const file = await findReadable(ctx.db, job.subject);
    if (!file || !isReady(file) || file.thumbnail_bytes !== null) return DONE;
    const result = await ctx.makeThumbnail?.(ctx.blobs.read(file.blob_key, { memory: createChunkMemory() }), signal);
    // Discards the blob that an interrupted run has left.
    if (job.attempts > 1) await ctx.blobs.discard({ key: thumbnailKey(file.blob_key), ref: "" });
    if (result?.kind === "made") await store(ctx, file, result.bytes);
    else if (result) ctx.log.info({ fileId: file.id, reason: result.reason }, "no thumbnail");
    return DONE;
  },
};

/** Stores the thumbnail, then its size in the row, and removes it again if the file has ended or was blocked meanwhile. */
async function store(ctx: Ctx, file: FileRow, bytes: Uint8Array): Promise<void> {
  const size = readWebpSize(bytes);
  if (!size) return void ctx.log.warn({ fileId: file.id }, "no thumbnail: the process wrote no WebP image");
  const key = thumbnailKey(file.blob_key);
  const staged = await ctx.blobs.stage(key, bytes.length, { isDirect: true });
  try {
    await ctx.blobs.writeAll(staged, once(bytes));
    await ctx.blobs.commit(staged);
  } catch (error) {
    await ctx.blobs.discard(staged).catch(() => undefined);
    throw error;
  }
  if (!(await saveThumbnail(ctx.db, file.blob_key, { bytes: bytes.length, ...size }))) await ctx.blobs.remove(key);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
