import type { TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { fairKey } from "../accounts/actor.ts";
import { fileIdOf } from "./places.ts";

/** The kind of the jobs that make a thumbnail. */
export const THUMBNAIL_JOB = "thumbnail";

const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/png",
  "image/apng",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "image/bmp",
  "image/avif",
  "image/heic",
  "image/heif",
]);
const MAX_IMAGE_BYTES = 64 * 1024 ** 2;

/** Enqueues the thumbnail of a clean file if it is an image (thumbnails, "Which files have one"). Call `ctx.wakeJobs()` afterwards. */
export async function enqueueThumbnail(
  ctx: TransactionCtx,
  file: Pick<FileRow, "id" | "origin_id" | "quota_owner" | "size_bytes" | "content_type">,
): Promise<void> {
  if (!ctx.makeThumbnail || !IMAGE_TYPES.has(file.content_type) || file.size_bytes > MAX_IMAGE_BYTES) return;
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, {
    id: newUuid(ctx.random, nowMs),
    kind: THUMBNAIL_JOB,
    subject: fileIdOf(file),
    runAtMs: nowMs,
    nowMs,
    fairKey: fairKey(file.quota_owner),
  });
}
