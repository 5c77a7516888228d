import type { Ctx, TransactionCtx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { runInBatches } from "../../lib/concurrency/batches.ts";
import { closeShareRows, listExpiredShares } from "../shares/queries.ts";
import { endFilesOnly } from "./end-file.ts";

/** Number of shares that expire in one transaction, and of their files: a shipment may have 10,000 files. */
const BATCH_SIZE = 20;

/** Expires all due shares, or the named one, and their files, with events, in batches. Resolves to the number of expired shares. */
export async function expireShares(ctx: Ctx, shortId?: string): Promise<number> {
  let expired = 0;
  await runInBatches(async () => {
    // Lists the shares in the transaction that expires them, because an owner may change the expiry at the same time.
    const batch = await ctx.transaction(async (ctx) => {
      const shares = await listExpiredShares(ctx.db, { nowMs: ctx.now(), limit: BATCH_SIZE, shortId });
      return { shares: shares.length, expired: await expireBatch(ctx, shares) };
    });
    expired += batch.expired;
    return batch.shares;
  });
  return expired;
}

/** Expires at most `BATCH_SIZE` files, and the shares whose files have all expired. The next batch continues with the remaining files. */
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
