import { setImmediate as breathe } from "node:timers/promises";
import { sql } from "kysely";
import type { Call, TxCtx } from "../../context.ts";
import type { DeliverableFile, SharePolicy } from "../../db/deliveries.ts";
import { insertEvent } from "../../db/events.ts";
import { insertGrant } from "../../db/grants.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { endFileAlone, endShareWithFiles } from "../files/end-file.ts";
import { classifyClient } from "./client-class.ts";

/** A limited delivery may send this much more than the file: room for a transfer that broke. */
const BUDGET_FACTOR = 1.5;
/** How many files are counted in one turn of the event loop. */
const BREATH_AFTER = 50;

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
export async function countDownload(ctx: TxCtx, call: Call, countable: Countable): Promise<boolean> {
  return await countDownloads(ctx, call, [countable]);
}

/** The same for several files of one share, all or none: where one is used up, false, and the caller undoes the transaction. */
export async function countDownloads(ctx: TxCtx, call: Call, countables: readonly Countable[]): Promise<boolean> {
  for (const [index, countable] of countables.entries()) {
    if (!(await countOne(ctx, call, countable))) return false;
    // A local database answers without the event loop: others get their turn in between.
    if (index % BREATH_AFTER === BREATH_AFTER - 1) await breathe();
  }
  const [first] = countables;
  // Once for all: it is looked for among all files of the share.
  if (first && isLimited(first.share)) await endShareWithFiles(ctx, first.share.short_id, "expired");
  return true;
}

/** Ends the file with its last download, and leaves its share to the caller. */
async function countOne(ctx: TxCtx, call: Call, { file, share, grantId, untilMs }: Countable): Promise<boolean> {
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
  if (counted.download_count >= limit)
    await endFileAlone(ctx, file, { status: "expired", purgeAtMs: await lastDeliveryEnds(ctx, file.id) });
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
