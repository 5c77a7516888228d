import type { Ctx } from "../../context.ts";
import { listLapsedShares } from "../../db/shares.ts";
import { PRO_GRACE_MS } from "../../domain/tiers.ts";

const BATCH = 500;

/**
 * Files that stay while Pro is active get an end when it is not: the grace after Pro's end (interface, "Limits"). Shares kept
 * forever fall back to the same. Resolves to how many shares.
 */
export async function lapsePro(ctx: Ctx): Promise<number> {
  let lapsed = 0;
  for (;;) {
    const shares = await listLapsedShares(ctx.db, ctx.now(), BATCH);
    if (shares.length === 0) return lapsed;
    await ctx.tx(async (ctx) => {
      for (const share of shares) {
        await ctx.db
          .updateTable("shares")
          .set({ expires_at: share.pro_until + PRO_GRACE_MS, retention: "ttl" })
          .where("short_id", "=", share.short_id)
          .where("expires_at", "is", null)
          .execute();
      }
    });
    lapsed += shares.length;
  }
}
