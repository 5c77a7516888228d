import { sql } from "kysely";
import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import { isStorageFull } from "../../errors.ts";
import { inBatches } from "../../lib/concurrency/batches.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { classifyClient } from "../../lib/text/user-agent.ts";
import { isStillActive } from "../effective-status.ts";
import { insertEvents, type NewEvent } from "../events/outbox.ts";
import { countDownloaded } from "../figures/daily-figures.ts";
import { endUsedUp } from "../files/limit-downloads.ts";
import { READY } from "../files/ready.ts";
import { notifyDownload } from "../notices/notify-owners.ts";
import { beginPurchaseDownloads } from "../selling/bought-downloads.ts";
import { countReserved } from "../selling/reservations.ts";
import { recordRecipientDownload } from "../shares/recipient-links.ts";
import { isLimited } from "../shares/share-state.ts";
import { type DownloadableFile, findDownloadable, insertGrants, type SharePolicy } from "./queries.ts";

/**
 * The byte budget of a grant, as a multiple of the file's size: it allows a client to repeat a broken transfer. In an archive, a whole file fits
 * again if the first transfer broke before its middle.
 */
const BUDGET_FACTOR = 1.5;
/** The budget factor of a bought download, with which a buyer can repeat whole transfers, also after crashes of the server. */
const BOUGHT_BUDGET_FACTOR = 5;
/** Number of files that one statement counts. */
const BATCH_SIZE = 1000;

export interface CountOptions {
  readonly share: SharePolicy;
  /** Returns the ID of a file's grant. Called only for a limited share. */
  readonly grantId: (fileId: string) => string;
  /** Expiry of the grants. */
  readonly expiresAtMs: number;
  /** The purchase, which allows one download of each file of a limited share; empty without one. */
  readonly purchaseId: string;
  /** The recipient whose private link the caller uses (recipients, "What the sender sees"). */
  readonly recipientId?: string | undefined;
}

/**
 * Counts one download of each file of a share, or none: on false the caller must roll back. With `maxDownloads: n`, exactly n calls succeed, however
 * many run concurrently (downloads, "Limited shares").
 */
export async function countDownloads(
  ctx: TransactionCtx,
  call: RequestContext,
  files: readonly DownloadableFile[],
  options: CountOptions,
): Promise<boolean> {
  const usedUp: string[] = [];
  for await (const batch of inBatches(files, BATCH_SIZE)) {
    const counted = await countBatch(ctx, call, batch, options);
    if (counted === undefined) return false;
    usedUp.push(...counted);
  }
  // Runs after all batches, because it reads all files of the share.
  if (isLimited(options.share)) await endUsedUp(ctx, usedUp);
  await countDownloaded(ctx, files.length);
  await notifyDownload(ctx, call, options.share.short_id);
  if (options.recipientId) await recordRecipientDownload(ctx, { recipientId: options.recipientId, shortId: options.share.short_id });
  return true;
}

/** Counts downloads as `countDownloads` does. */
export type CountDownloads = (files: readonly DownloadableFile[], options: CountOptions) => Promise<boolean>;

/** A context whose `db` may be outside a transaction. */
export type CountingCtx = Omit<TransactionCtx, "db"> & { readonly db: Db };

/**
 * Runs `work` in a transaction, with a function that counts in it. On a full disk, repeats it without a transaction for an unlimited share and
 * records the count later; `work` must then only read.
 */
export async function withDownloadCounting<T>(
  ctx: Ctx,
  call: RequestContext,
  { share, purchaseId }: { readonly share: SharePolicy; readonly purchaseId: string },
  work: (ctx: CountingCtx, count: CountDownloads) => Promise<T>,
): Promise<T> {
  try {
    return await ctx.transaction((ctx) => work(ctx, (files, options) => countDownloads(ctx, call, files, options)));
  } catch (error) {
    if (!isStorageFull(error) || isLimited(share) || purchaseId !== "") throw error;
    return await work(ctx, async (files, options) => {
      // Rethrows for a limited share, because the share may have been limited since.
      if (isLimited(options.share)) throw error;
      // All files together are one download of a recipient.
      for (const [index, file] of files.entries())
        ctx.unrecorded.keep(ctx, (ctx) => countLater(ctx, call, file, index === 0 ? options : { ...options, recipientId: undefined }));
      return true;
    });
  }
}

/** Counts a download that was sent uncounted. Throws, and leaves it uncounted, if its file has ended or its share has been limited since. */
async function countLater(ctx: TransactionCtx, call: RequestContext, file: DownloadableFile, options: CountOptions): Promise<void> {
  const current = await findDownloadable(ctx.db, file.id);
  const isCounted = current && !isLimited(current.share) && (await countDownloads(ctx, call, [file], { ...options, share: current.share }));
  if (!isCounted) throw new Error("The file has ended or its share was limited after the download was sent.");
}

/** Records downloads of files in unlimited shares. On a full disk, records them later. */
export async function recordDownloaded(ctx: Ctx, call: RequestContext, files: readonly NewEvent["file"][]): Promise<void> {
  const record = (files: readonly NewEvent["file"][]) => (ctx: TransactionCtx) => insertDownloadEvents(ctx, call, "file.downloaded", files);
  try {
    await ctx.transaction(record(files));
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    for (const file of files) ctx.unrecorded.keep(ctx, record([file]));
  }
}

/** Counts the downloads of one batch. Resolves to the IDs of the files that have reached the limit; undefined if not all can be counted. */
async function countBatch(
  ctx: TransactionCtx,
  call: RequestContext,
  files: readonly DownloadableFile[],
  { share, grantId, expiresAtMs, purchaseId }: CountOptions,
): Promise<readonly string[] | undefined> {
  const limit = share.max_downloads;
  const counted = await ctx.db
    .updateTable("files")
    .set({ download_count: sql`download_count + 1` })
    .where("id", "in", inJson(files.map(({ id }) => id)))
    .where((where) => where.and(READY))
    .where(isStillActive)
    // A buyer's download ignores the reservations of other buyers: after a won dispute, more downloads may be sold than the limit allows.
    .$if(limit !== null, (query) =>
      query.where(
        purchaseId === ""
          ? sql<boolean>`download_count + ${countReserved(sql.ref("files.id"), { shortId: share.short_id, nowMs: ctx.now() })} < ${limit}`
          : sql<boolean>`download_count < ${limit}`,
      ),
    )
    .returning(["id", "download_count"])
    .execute();
  if (counted.length !== files.length) return undefined;
  await insertDownloadEvents(ctx, call, "file.authorized", files);
  if (limit === null) return [];
  const grants = files.map(({ id }) => ({ fileId: id, grantId: grantId(id) }));
  if (purchaseId !== "" && !(await beginPurchaseDownloads(ctx.db, purchaseId, grants))) return undefined;
  const factor = purchaseId === "" ? BUDGET_FACTOR : BOUGHT_BUDGET_FACTOR;
  await insertGrants(
    ctx.db,
    files.map((file) => ({ id: grantId(file.id), fileId: file.id, budgetBytes: Math.floor(file.size_bytes * factor), expiresAtMs })),
  );
  return counted.filter(({ download_count }) => download_count >= limit).map(({ id }) => id);
}

/** Records that a download of each file was authorized or completed, with the channel and the class of the client. */
export async function insertDownloadEvents(
  ctx: TransactionCtx,
  call: RequestContext,
  type: "file.authorized" | "file.downloaded",
  files: readonly NewEvent["file"][],
): Promise<void> {
  const nowMs = ctx.now();
  const request = { channel: call.channel, clientClass: classifyClient(call.userAgent), nowMs };
  await insertEvents(
    ctx.db,
    files.map((file) => ({ id: newUuid(ctx.random, nowMs), type, file, ...request })),
  );
}
