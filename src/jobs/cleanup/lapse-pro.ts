import type { Ctx } from "../../context.ts";
import { PRO_GRACE_MS } from "../../domain/tiers.ts";

const BATCH = 500;

/**
 * Files that stay while Pro is active get an end when it is not: the grace after Pro's end (interface, "Limits"). Shares kept forever fall back to the same. Resolves to how many shares.
 */
export async function lapsePro(ctx: Ctx): Promise<number> {
  let lapsed = 0;
  for (;;) {
    const nowMs = ctx.now();
    const shares = await ctx.db
      .selectFrom("users")
      // In this order: there are few owners whose Pro has ended, and an index on what such an owner keeps.
      .crossJoin("shares")
      .innerJoin("files", "files.short_id", "shares.short_id")
      .select(["shares.short_id", "users.tier", "users.pro_until"])
      .distinct()
      .whereRef("shares.owner_id", "=", "users.id")
      .where("shares.owner_id", "is not", null)
      .where("shares.status", "=", "active")
      .where("shares.expires_at", "is", null)
      // The share of an upload that is under way has no expiry yet.
      .where("files.blob_state", "<>", "uploading")
      .where((where) => where.or([where("users.tier", "=", "free"), where("users.pro_until", "<=", nowMs)]))
      .limit(BATCH)
      .execute();
    if (shares.length === 0) return lapsed;
    await ctx.tx(async (ctx) => {
      for (const share of shares) {
        const proEndedMs = share.pro_until ?? nowMs;
        await ctx.db
          .updateTable("shares")
          .set({ expires_at: proEndedMs + PRO_GRACE_MS, retention: "ttl" })
          .where("short_id", "=", share.short_id)
          .where("expires_at", "is", null)
          .execute();
      }
    });
    lapsed += shares.length;
  }
}
