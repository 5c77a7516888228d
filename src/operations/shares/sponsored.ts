import type { Ctx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { isOwnerPro } from "./owner-pro.ts";

/** Whether a share's recipients see a sponsor or wait: where the server has either, and the owner is not Pro (interface, tier summary). */
export async function isSponsored(ctx: Pick<Ctx, "config" | "db" | "now">, share: Pick<ShareRow, "owner_id">): Promise<boolean> {
  const { html, waitMs } = ctx.config.sponsoring;
  return (html !== undefined || waitMs > 0) && !(await isOwnerPro(ctx, share));
}
