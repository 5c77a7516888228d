import type { Ctx } from "../../context.ts";
import type { FileRow, ShareRow } from "../../db/schema.ts";
import { findShare, listShareFiles } from "../../db/shares.ts";
import { isOpen } from "./is-open.ts";

/** What the page of a share shows. */
export type ShareView =
  | { readonly kind: "open"; readonly share: ShareRow; readonly files: readonly FileRow[] }
  /** Its file has joined a shipment. */
  | { readonly kind: "moved"; readonly shortId: string }
  | { readonly kind: "missing" | "expired" | "usedUp" | "blocked" | "takenDown" };

/** What stands behind a share link, for people. */
export async function viewShare(ctx: Ctx, shortId: string): Promise<ShareView> {
  const share = await findShare(ctx.db, shortId);
  if (!share || share.status === "deleted") return { kind: "missing" };
  if (share.status === "dmca_removed") return { kind: "takenDown" };
  if (share.redirect_to !== null) return { kind: "moved", shortId: share.redirect_to };
  const files = await listShareFiles(ctx.db, shortId);
  const active = files.filter((file) => file.status === "active");
  if (!isOpen(ctx, share) || active.length === 0) return { kind: isUsedUp(ctx, share) ? "usedUp" : "expired" };
  return active.every((file) => file.scan_status === "unavailable") ? { kind: "blocked" } : { kind: "open", share, files: active };
}

function isUsedUp(ctx: Ctx, share: ShareRow): boolean {
  return share.max_downloads !== null && (share.expires_at === null || ctx.now() < share.expires_at);
}
