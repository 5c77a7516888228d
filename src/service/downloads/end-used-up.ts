import type { Ctx, TransactionCtx } from "../../context.ts";
import { endUsedUp } from "../files/limit-downloads.ts";
import { takeEndedDownloads } from "../selling/bought-downloads.ts";

/** Number of files that one transaction ends. */
const BATCH_SIZE = 1000;

/** Expires the files that waited for buyers' downloads, once these have ended. */
export async function endDownloadedByBuyers(ctx: Ctx): Promise<void> {
  const endBatch = async (ctx: TransactionCtx): Promise<number> => {
    const ended = await takeEndedDownloads(ctx.db, ctx.now(), BATCH_SIZE);
    await endUsedUp(
      ctx,
      ended.map(({ fileId }) => fileId),
    );
    return ended.length;
  };
  while ((await ctx.transaction(endBatch)) === BATCH_SIZE);
}
