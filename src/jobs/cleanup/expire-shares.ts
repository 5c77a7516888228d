import type { Ctx, TxCtx } from "../../context.ts";
import type { ShareRow } from "../../db/schema.ts";
import { listExpiredShares } from "../../db/shares.ts";
import { endFileAlone } from "../../operations/files/end-file.ts";

/** How many shares, and how many files of them, end in one transaction: a shipment may have 10,000. */
const BATCH = 200;

/** Ends the files of shares whose time is over, with their events; in short batches. Resolves to how many shares. */
export async function expireShares(ctx: Ctx): Promise<number> {
  let expired = 0;
  for (;;) {
    const shares = await listExpiredShares(ctx.db, ctx.now(), BATCH);
    if (shares.length === 0) return expired;
    expired += await ctx.tx((ctx) => expireBatch(ctx, shares));
  }
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
    for (const file of files.slice(0, room)) await endFileAlone(ctx, file, { status: "expired", purgeAtMs: ctx.now() });
    if (files.length > room) return expired;
    room -= files.length;
    const ended = await ctx.db
      .updateTable("shares")
      .set({ status: "expired" })
      .where("short_id", "=", short_id)
      .where("status", "=", "active")
      .executeTakeFirst();
    if (ended.numUpdatedRows === 1n) expired += 1;
  }
  return expired;
}
