import { setImmediate as breathe } from "node:timers/promises";
import { sql } from "kysely";
import type { Call, TxCtx } from "../../context.ts";
import type { DeliverableFile, SharePolicy } from "../../db/deliveries.ts";
import { insertGrants } from "../../db/grants.ts";
import { oneOf } from "../../db/many.ts";
import { endFilesAlone, endShareWithFiles } from "../files/end-file.ts";
import { insertDownloadEvents } from "./insert-download-events.ts";

/**
 * How many times its bytes a file's limited delivery may send: room for a transfer that broke, and is taken up where it did. One that broke
 * in an archive is begun again, where it had not come past its half.
 */
const BUDGET_FACTOR = 1.5;
/** How many files one statement counts: others get their turn of the event loop in between. */
const TOGETHER = 1000;

export interface Delivery {
  readonly share: SharePolicy;
  /** Names a file's delivery, where the share is limited. */
  readonly grantId: (fileId: string) => string;
  /** Until when the delivery may go on. */
  readonly untilMs: number;
}

/** Whether a share's downloads are bounded. */
export const isLimited = (share: SharePolicy): boolean => share.max_downloads !== null;

/**
 * Counts a download of each of a share's files, exactly: with `maxDownloads: n`, n calls get true whatever the concurrency, and the last of
 * them ends the file, whose bytes stay until its deliveries are over (decisions, "Downloads"). All or none: where one cannot be had any
 * more, false, and the caller undoes the transaction that this runs in.
 */
export async function countDownloads(ctx: TxCtx, call: Call, files: readonly DeliverableFile[], delivery: Delivery): Promise<boolean> {
  for (let start = 0; start < files.length; start += TOGETHER) {
    if (start > 0) await breathe();
    if (!(await countTogether(ctx, call, files.slice(start, start + TOGETHER), delivery))) return false;
  }
  // Once for all: it is looked for among all files of the share.
  if (isLimited(delivery.share)) await endShareWithFiles(ctx, delivery.share.short_id, "expired");
  return true;
}

/** Ends files with their last download, and leaves their share to the caller. */
async function countTogether(ctx: TxCtx, call: Call, files: readonly DeliverableFile[], delivery: Delivery): Promise<boolean> {
  const limit = delivery.share.max_downloads;
  const counted = await ctx.db
    .updateTable("files")
    .set({ download_count: sql`download_count + 1` })
    .where("id", "in", oneOf(files.map(({ id }) => id)))
    .where("status", "=", "active")
    .where("scan_status", "=", "clean")
    .where("blob_state", "=", "stored")
    .$if(limit !== null, (query) => query.where("download_count", "<", limit))
    .returning(["id", "download_count"])
    .execute();
  if (counted.length !== files.length) return false;
  await insertDownloadEvents(ctx, call, "file.authorized", files);
  if (limit === null) return true;
  await insertGrants(
    ctx.db,
    files.map((file) => ({
      id: delivery.grantId(file.id),
      fileId: file.id,
      budgetBytes: Math.floor(file.size_bytes * BUDGET_FACTOR),
      expiresAtMs: delivery.untilMs,
    })),
  );
  const usedUp = new Set(counted.filter(({ download_count }) => download_count >= limit).map(({ id }) => id));
  const lastOnes = files.filter(({ id }) => usedUp.has(id));
  if (lastOnes.length > 0) await endFilesAlone(ctx, lastOnes, { status: "expired", purgeAtMs: "delivered" });
  return true;
}
