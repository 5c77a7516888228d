import type { Ctx } from "../../context.ts";
import { DAY_MS } from "../../domain/ttl.ts";
import { purgeBytes } from "../../operations/files/purge-bytes.ts";

const BATCH = 200;
const PARALLEL = 8;
/** How long the row of a file that has gone still answers file info (decisions, "Expiry and removal"). */
export const KEEP_ROW_MS = 30 * DAY_MS;

/** The states of files that have bytes to remove. */
export const PURGEABLE = ["stored", "quarantined", "removing"] as const;

/** Removes the bytes of files whose time is over, each tried once: one that fails waits for the next time. Resolves to how many went. */
export async function purgeFiles(ctx: Ctx): Promise<number> {
  let purged = 0;
  for (let after = { purge_at: 0, id: "" }; ; ) {
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
      .limit(BATCH)
      .execute();
    for (let start = 0; start < due.length; start += PARALLEL) {
      const gone = await Promise.all(due.slice(start, start + PARALLEL).map((file) => purgeFile(ctx, file.id)));
      purged += gone.filter(Boolean).length;
    }
    const last = due.at(-1);
    if (!last) return purged;
    after = { purge_at: last.purge_at ?? 0, id: last.id };
  }
}

async function purgeFile(ctx: Ctx, fileId: string): Promise<boolean> {
  try {
    return await purgeBytes(ctx, fileId);
  } catch (error) {
    ctx.log.error({ err: error, fileId }, "removing the bytes of a file failed; it will be tried again");
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
