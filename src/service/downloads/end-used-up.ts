import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import { inBatches } from "../../lib/concurrency/batches.ts";
import { closeShareIfEmpty, endFilesOnly } from "../files/end-file.ts";
import { isAwaitedByBuyer, takeEndedDownloads } from "../selling/bought-downloads.ts";

/** Number of files that one statement ends. */
const BATCH_SIZE = 1000;

/**
 * Expires the files of a limited share that have no download left, and the share with its last file. A file that a buyer is downloading waits until
 * the download has ended, so that the buyer can repeat it (downloads, "Limited shares").
 */
export async function endUsedUp(ctx: TransactionCtx, shortId: string, fileIds: readonly string[]): Promise<void> {
  let ended = 0;
  for await (const batch of inBatches(fileIds, BATCH_SIZE)) {
    const files = await ctx.db
      .selectFrom("files")
      .innerJoin("shares", "shares.short_id", "files.short_id")
      .select(["files.id", "files.short_id", "files.owner_id", "files.name", "files.size_bytes", "files.content_type"])
      .where("files.id", "in", inJson(batch))
      .where("files.status", "=", "active")
      .whereRef("files.download_count", ">=", "shares.max_downloads")
      .where(sql<boolean>`NOT ${isAwaitedByBuyer(ctx.now())}`)
      .execute();
    if (files.length > 0) ended += await endFilesOnly(ctx, files, { status: "expired", removeAtMs: "lastGrant" });
  }
  if (ended > 0) await closeShareIfEmpty(ctx, shortId, "expired");
}

/** Expires the files that waited for buyers' downloads, once these have ended. */
export async function endDownloadedByBuyers(ctx: Ctx): Promise<void> {
  const endBatch = async (ctx: TransactionCtx): Promise<number> => {
    const ended = await takeEndedDownloads(ctx.db, ctx.now(), BATCH_SIZE);
    for (const [shortId, files] of Map.groupBy(ended, (download) => download.shortId)) {
      await endUsedUp(
        ctx,
        shortId,
        files.map(({ fileId }) => fileId),
      );
    }
    return ended.length;
  };
  while ((await ctx.transaction(endBatch)) === BATCH_SIZE);
}
