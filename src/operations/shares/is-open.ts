import type { TxCtx } from "../../context.ts";
import type { FoundShare } from "../../db/shares.ts";

/** Whether a share can be opened: it has not ended, and the account of its owner is not disabled. */
export function isOpen(ctx: Pick<TxCtx, "now">, share: Pick<FoundShare, "status" | "expires_at" | "owner_disabled_at">): boolean {
  return share.owner_disabled_at === null && isActive(ctx, share);
}

/** Whether a share has not ended: it is active, and its time has not passed, whether or not the cleanup has come by. */
export function isActive(ctx: Pick<TxCtx, "now">, share: Pick<FoundShare, "status" | "expires_at">): boolean {
  return share.status === "active" && (share.expires_at === null || ctx.now() < share.expires_at);
}
