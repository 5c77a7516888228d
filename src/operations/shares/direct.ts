import type { Ctx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { isOwnerPro } from "./owner-pro.ts";

type DirectFacts = Pick<ShareRow, "direct" | "kind" | "unlock_hash" | "price_cents" | "max_downloads" | "owner_id">;

/** Whether opening a share starts its download: asked for by a Pro owner, and not for one that is protected, priced or limited (decisions, "Downloads"). */
export async function isDirectEffective(ctx: Pick<Ctx, "db" | "now">, share: DirectFacts): Promise<boolean> {
  const isGuarded = share.unlock_hash !== null || share.price_cents !== null || share.max_downloads !== null;
  if (share.direct === 0 || share.kind !== "file" || isGuarded) return false;
  return await isOwnerPro(ctx, share);
}
