import type { TxCtx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/files.ts";

/** Whether a share can be looked at: active, and its time not over, whether or not the cleanup has come by. */
export function isOpen(ctx: Pick<TxCtx, "now">, share: Pick<ShareRow, "status" | "expires_at">): boolean {
  return share.status === "active" && (share.expires_at === null || ctx.now() < share.expires_at);
}
