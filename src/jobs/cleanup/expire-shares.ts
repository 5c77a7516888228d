import type { Ctx } from "../../context.ts";
import { listExpiredShares, listShareFiles } from "../../db/shares.ts";
import { endFile } from "../../operations/files/end-file.ts";

const BATCH = 200;

/** Ends the files of shares whose time is over, with their events; in short batches. Resolves to how many shares. */
export async function expireShares(ctx: Ctx): Promise<number> {
  let expired = 0;
  for (;;) {
    const shares = await listExpiredShares(ctx.db, ctx.now(), BATCH);
    if (shares.length === 0) return expired;
    await ctx.tx(async (ctx) => {
      for (const share of shares) {
        for (const file of await listShareFiles(ctx.db, share.short_id))
          await endFile(ctx, file, { status: "expired", purgeAtMs: ctx.now() });
        await ctx.db
          .updateTable("shares")
          .set({ status: "expired" })
          .where("short_id", "=", share.short_id)
          .where("status", "=", "active")
          .execute();
      }
    });
    expired += shares.length;
  }
}
