import { sql } from "kysely";
import type { Call, TxCtx } from "../../context.ts";
import type { DeliverableFile, SharePolicy } from "../../db/deliveries.ts";
import { insertEvent } from "../../db/events.ts";
import { insertGrant } from "../../db/grants.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { endFile } from "../files/end-file.ts";
import { classifyClient } from "./client-class.ts";

/** A limited delivery may send this much more than the file: room for a transfer that broke. */
const BUDGET_FACTOR = 1.5;

export interface Countable {
  readonly file: DeliverableFile;
  readonly share: SharePolicy;
  /** Names the delivery, where the share is limited. */
  readonly grantId: string;
  /** Until when the delivery may go on. */
  readonly untilMs: number;
}

/** Whether a share's downloads are bounded. */
export const isLimited = (share: SharePolicy): boolean => share.max_downloads !== null;

/**
 * Counts one download, exactly: of a share with `maxDownloads: n`, n calls get true whatever the concurrency, and the last of them
 * ends the file, whose bytes stay until its deliveries are over (decisions, "Downloads"). Runs in the caller's transaction.
 */
export async function countDownload(ctx: TxCtx, call: Call, { file, share, grantId, untilMs }: Countable): Promise<boolean> {
  const limit = share.max_downloads;
  const counted = await ctx.db
    .updateTable("files")
    .set({ download_count: sql`download_count + 1` })
    .where("id", "=", file.id)
    .where("status", "=", "active")
    .$if(limit !== null, (query) => query.where("download_count", "<", limit))
    .returning("download_count")
    .executeTakeFirst();
  if (!counted) return false;
  const nowMs = ctx.now();
  const clientClass = classifyClient(call.userAgent);
  await insertEvent(ctx.db, { id: newUuid(ctx.random, nowMs), type: "file.authorized", file, route: call.route, clientClass, nowMs });
  if (limit === null) return true;
  await insertGrant(ctx.db, {
    id: grantId,
    fileId: file.id,
    budgetBytes: Math.floor(file.size_bytes * BUDGET_FACTOR),
    expiresAtMs: untilMs,
  });
  if (counted.download_count >= limit) await endFile(ctx, file, { status: "expired", purgeAtMs: await lastDeliveryEnds(ctx, file.id) });
  return true;
}

async function lastDeliveryEnds(ctx: TxCtx, fileId: string): Promise<number> {
  const row = await ctx.db
    .selectFrom("download_grants")
    .select((select) => select.fn.max("expires_at").as("last"))
    .where("file_id", "=", fileId)
    .executeTakeFirst();
  return row?.last ?? ctx.now();
}
