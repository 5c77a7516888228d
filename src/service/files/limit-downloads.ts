import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inBatches } from "../../lib/concurrency/batches.ts";
import { isAwaitedByBuyer } from "../selling/bought-downloads.ts";
import { closeShareIfEmpty, endFilesOnly } from "./end-file.ts";

/** Number of files that one statement ends. */
const BATCH_SIZE = 1000;

/** Ends all signed URLs that were issued for a share. */
export async function endSignedUrls(ctx: TransactionCtx, shortId: string): Promise<void> {
  await ctx.db
    .updateTable("shares")
    .set((update) => ({ credentials_version: update("credentials_version", "+", 1) }))
    .where("short_id", "=", shortId)
    .execute();
}

/**
 * Applies a changed download limit (null: none) to the files of a share: expires the files that have used up the limit, except those that a buyer is
 * downloading (downloads, "Limited shares"). Ends the signed URLs that were issued before, because URLs of an unlimited share have no grants.
 */
export async function limitDownloads(ctx: TransactionCtx, shortId: string, maxDownloads: number | null): Promise<void> {
  await endSignedUrls(ctx, shortId);
  if (maxDownloads === null) return;
  const usedUp = await ctx.db
    .selectFrom("files")
    .select(["id", "short_id", "owner_id", "name", "size_bytes", "content_type"])
    .where("short_id", "=", shortId)
    .where("status", "=", "active")
    .where("download_count", ">=", maxDownloads)
    .where(sql<boolean>`NOT ${isAwaitedByBuyer(ctx.now())}`)
    .execute();
  if (usedUp.length === 0) return;
  for await (const batch of inBatches(usedUp, BATCH_SIZE)) await endFilesOnly(ctx, batch, { status: "expired", removeAtMs: "lastGrant" });
  await closeShareIfEmpty(ctx, shortId, "expired");
}
