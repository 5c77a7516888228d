import type { Ctx } from "../../context.ts";
import { DAY_MS } from "../../domain/ttl.ts";
import { settleGone } from "../../operations/files/settle-gone.ts";
import { inShortBatches } from "./in-short-batches.ts";

const BATCH = 200;
/** So many files share their two commits. */
const TOGETHER = 40;
const PARALLEL = 8;
/** How long the row of a file that has gone still answers file info (decisions, "Expiry and removal"). */
export const KEEP_ROW_MS = 30 * DAY_MS;

/** The states of files that have bytes to remove. */
export const PURGEABLE = ["stored", "quarantined", "removing"] as const;

/** Removes the bytes of files whose time is over, each tried once: one that fails waits for the next time. Resolves to how many went. */
export async function purgeFiles(ctx: Ctx): Promise<number> {
  let purged = 0;
  let after = { purge_at: 0, id: "" };
  await inShortBatches(async () => {
    // In the order of the index on purge_at: by id alone, the database would walk through every file.
    const due = await ctx.db
      .selectFrom("files")
      .select(["id", "purge_at"])
      .where("purge_at", "<=", ctx.now())
      .where("purge_at", ">=", after.purge_at)
      .where("blob_state", "in", PURGEABLE)
      .where((where) => where.or([where("purge_at", ">", after.purge_at), where("id", ">", after.id)]))
      .orderBy("purge_at")
      .orderBy("id")
      .limit(TOGETHER)
      .execute();
    const last = due.at(-1);
    if (!last) return 0;
    after = { purge_at: last.purge_at ?? 0, id: last.id };
    purged += await purgeBatch(
      ctx,
      due.map((file) => file.id),
    );
    return due.length;
  });
  return purged;
}

/** What `purgeBytes` does, for many at once. */
async function purgeBatch(ctx: Ctx, ids: readonly string[]): Promise<number> {
  const files = await ctx.db
    .updateTable("files")
    .set({ blob_state: "removing" })
    .where("id", "in", ids)
    // Asked again: one that was listed may have been called back from quarantine since.
    .where("purge_at", "<=", ctx.now())
    .where("blob_state", "in", PURGEABLE)
    .returning(["id", "blob_key"])
    .execute();
  const removed: string[] = [];
  for (let start = 0; start < files.length; start += PARALLEL) {
    await Promise.all(files.slice(start, start + PARALLEL).map(async (file) => (await removeBytes(ctx, file)) && removed.push(file.id)));
  }
  if (removed.length > 0) await ctx.tx((ctx) => settleGone(ctx, removed));
  return removed.length;
}

async function removeBytes(ctx: Ctx, file: { readonly id: string; readonly blob_key: string }): Promise<boolean> {
  try {
    await ctx.blobs.remove(file.blob_key);
    return true;
  } catch (error) {
    ctx.log.error({ err: error, fileId: file.id }, "removing the bytes of a file failed; it will be tried again");
    return false;
  }
}

/** Forgets the rows of files that went long ago, and their shares and events with them. Resolves to how many. */
export async function forgetFiles(ctx: Ctx): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const rows = await ctx.db
      .selectFrom("files")
      .select(["id", "short_id"])
      .where("ended_at", "<=", ctx.now() - KEEP_ROW_MS)
      .where("blob_state", "=", "gone")
      .limit(BATCH)
      .execute();
    if (rows.length === 0) return forgotten;
    await ctx.tx(async (ctx) => {
      for (const row of rows) {
        await ctx.db.deleteFrom("files").where("id", "=", row.id).execute();
        await ctx.db.deleteFrom("events").where("file_id", "=", row.id).where("dispatched_at", "is not", null).execute();
        const other = await ctx.db.selectFrom("files").select("id").where("short_id", "=", row.short_id).executeTakeFirst();
        if (other) continue;
        await ctx.db.deleteFrom("shares").where("redirect_to", "=", row.short_id).execute();
        await ctx.db.deleteFrom("shares").where("short_id", "=", row.short_id).execute();
      }
    });
    forgotten += rows.length;
  }
}
