import type { Ctx } from "../../context.ts";
import { ownerTierQuery } from "../../db/owner-tier.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { effectiveTier } from "../../domain/tiers.ts";

/** Whether a share's owner is Pro now, its grace included; nobody's share is not. */
export async function isOwnerPro(ctx: Pick<Ctx, "db" | "now">, { owner_id }: Pick<ShareRow, "owner_id">): Promise<boolean> {
  if (owner_id === null) return false;
  const owner = await ownerTierQuery.first(ctx.db, { userId: owner_id });
  return owner !== undefined && effectiveTier(owner, ctx.now()) === "pro";
}
