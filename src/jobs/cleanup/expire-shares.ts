import type { Ctx, TxCtx } from "../../context.ts";
import { endShare, listExpiredShares } from "../../db/shares.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { endFilesAlone } from "../../operations/files/end-file.ts";
import { inShortBatches } from "./in-short-batches.ts";

/** How many shares, and how many files of them, end in one transaction: a shipment may have 10,000. */
const BATCH = 20;

/** Ends the files of shares whose time is over, with their events; in short batches. Resolves to how many shares. */
export async function expireShares(ctx: Ctx): Promise<number> {
  let expired = 0;
  await inShortBatches(async () => {
    // Listed in the transaction that ends them: an owner may have chosen a later end a moment ago.
    const batch = await ctx.tx(async (ctx) => {
      const shares = await listExpiredShares(ctx.db, ctx.now(), BATCH);
      return { shares: shares.length, expired: await expireBatch(ctx, shares) };
    });
    expired += batch.expired;
    return batch.shares;
  });
  return expired;
}

/** Ends at most `BATCH` files; a share whose files have all ended ends with them, another goes on with the next batch. */
async function expireBatch(ctx: TxCtx, shares: readonly ShareRow[]): Promise<number> {
  let expired = 0;
  let room = BATCH;
  for (const { short_id } of shares) {
    const files = await ctx.db
      .selectFrom("files")
      .select(["id", "short_id", "owner_id", "name", "size_bytes", "content_type"])
      .where("short_id", "=", short_id)
      .where("status", "=", "active")
      .limit(room + 1)
      .execute();
    await endFilesAlone(ctx, files.slice(0, room), { status: "expired", purgeAtMs: ctx.now() });
    if (files.length > room) return expired;
    room -= files.length;
    if ((await endShare(ctx.db, short_id, "expired")) > 0) expired += 1;
  }
  return expired;
}
