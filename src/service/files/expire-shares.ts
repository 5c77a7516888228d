import type { Ctx, TransactionCtx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { runInBatches } from "../../lib/concurrency/batches.ts";
import { closeShareRows, listExpiredShares } from "../shares/queries.ts";
import { endFilesOnly } from "./end-file.ts";

/** The shares, and the files of them, that expire in one transaction: a shipment may have 10,000 files. */
const BATCH_SIZE = 20;

/** Expires shares, of all or the one named, and their files, with events, in batches. Resolves to the number of expired shares. */
export async function expireShares(ctx: Ctx, shortId?: string): Promise<number> {
  let expired = 0;
  await runInBatches(async () => {
    // Listed in the same transaction, because an owner may change the expiry at the same time.
    const batch = await ctx.transaction(async (ctx) => {
      const shares = await listExpiredShares(ctx.db, { nowMs: ctx.now(), limit: BATCH_SIZE, shortId });
      return { shares: shares.length, expired: await expireBatch(ctx, shares) };
    });
    expired += batch.expired;
    return batch.shares;
  });
  return expired;
}

/** Expires at most `BATCH_SIZE` files, and the shares whose files have all expired; the next batch continues with the others. */
async function expireBatch(ctx: TransactionCtx, shares: readonly ShareRow[]): Promise<number> {
  let expired = 0;
  let remaining = BATCH_SIZE;
  for (const { short_id } of shares) {
    const files = await ctx.db
      .selectFrom("files")
      .select(["id", "short_id", "owner_id", "name", "size_bytes", "content_type"])
      .where("short_id", "=", short_id)
      .where("status", "=", "active")
      .limit(remaining + 1)
      .execute();
    await endFilesOnly(ctx, files.slice(0, remaining), { status: "expired", removeAtMs: ctx.now() });
    if (files.length > remaining) return expired;
    remaining -= files.length;
    if ((await closeShareRows(ctx, short_id, "expired")) > 0) expired += 1;
  }
  return expired;
}
