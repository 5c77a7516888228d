import type { Ctx } from "../../context.ts";
import type { ShareRow } from "../../db/schema.ts";
import { effectiveTier } from "../../domain/tiers.ts";

type DirectFacts = Pick<ShareRow, "direct" | "kind" | "unlock_hash" | "price_cents" | "max_downloads" | "owner_id">;

/** Whether opening a share starts its download: asked for by a Pro owner, and not for one that is protected, priced or limited (decisions, "Downloads"). */
export async function isDirectEffective(ctx: Pick<Ctx, "db" | "now">, share: DirectFacts): Promise<boolean> {
  const isGuarded = share.unlock_hash !== null || share.price_cents !== null || share.max_downloads !== null;
  if (share.direct === 0 || share.kind !== "file" || isGuarded || share.owner_id === null) return false;
  const owner = await ctx.db.selectFrom("users").select(["tier", "pro_until"]).where("id", "=", share.owner_id).executeTakeFirst();
  return owner !== undefined && effectiveTier(owner, ctx.now()) === "pro";
}
