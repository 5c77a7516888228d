import type { Ctx, TxCtx } from "../../context.ts";
import { insertEvent } from "../../db/events.ts";
import { listExpiredShares } from "../../db/shares.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { inShortBatches } from "./in-short-batches.ts";

/** A few milliseconds: so long requests may have to wait. */
const BATCH = 25;

/** Ends the files of shares whose time is over, with their events; in short batches. Resolves to how many shares. */
export async function expireShares(ctx: Ctx): Promise<number> {
  return await inShortBatches(async () => {
    if ((await listExpiredShares(ctx.db, ctx.now(), 1)).length === 0) return 0;
    return await ctx.tx(expireBatch);
  });
}

/** What `endFile` does, for many at once: there may be a hundred thousand. */
async function expireBatch(ctx: TxCtx): Promise<number> {
  const nowMs = ctx.now();
  const shortIds = (await listExpiredShares(ctx.db, nowMs, BATCH)).map((share) => share.short_id);
  if (shortIds.length === 0) return 0;
  const files = await ctx.db
    .updateTable("files")
    .set({ status: "expired", ended_at: nowMs, purge_at: nowMs })
    .where("short_id", "in", shortIds)
    .where("status", "=", "active")
    .returning(["id", "short_id", "owner_id", "name", "size_bytes", "content_type"])
    .execute();
  await ctx.db.updateTable("shares").set({ status: "expired" }).where("short_id", "in", shortIds).execute();
  const ids = files.map((file) => file.id);
  await ctx.db.deleteFrom("jobs").where("kind", "=", "scan").where("subject", "in", ids).where("lease_holder", "is", null).execute();
  for (const file of files)
    await insertEvent(ctx.db, { id: newUuid(ctx.random, nowMs), type: "file.expired", file, reason: "expired", nowMs });
  return shortIds.length;
}
