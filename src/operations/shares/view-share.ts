import { hashToken } from "../../auth/secrets.ts";
import type { Ctx } from "../../context.ts";
import { type FoundShare, findShare, findShareByHandoff, listShareFiles } from "../../db/shares.ts";
import type { FileRow, ShareRow } from "../../db/tables/files.ts";
import { isOpen } from "./is-open.ts";
import { findPlannedLimits, type PlannedLimits } from "./planned-share.ts";

/** What the page of a share shows. */
export type ShareView =
  | {
      readonly kind: "open";
      readonly share: ShareRow;
      readonly files: readonly FileRow[];
      /** While the bytes of its only file arrive: the share's row has the limits when they have. */
      readonly planned?: PlannedLimits;
    }
  /** Its file has joined a shipment. */
  | { readonly kind: "moved"; readonly shortId: string }
  | { readonly kind: "missing" | "expired" | "usedUp" | "blocked" | "damaged" | "takenDown" | "unavailable" };

/** What stands behind a share link, for people. */
export async function viewShare(ctx: Ctx, shortId: string): Promise<ShareView> {
  return await view(ctx, await findShare(ctx.db, shortId));
}

/** What stands behind a private link, whatever has become of it since; `missing` where the link is not the present one. */
export async function viewDelivery(ctx: Ctx, token: string): Promise<ShareView> {
  return await view(ctx, await findShareByHandoff(ctx.db, hashToken(token)));
}

async function view(ctx: Ctx, share: FoundShare | undefined): Promise<ShareView> {
  if (!share || share.status === "deleted") return { kind: "missing" };
  if (share.status === "dmca_removed") return { kind: "takenDown" };
  if (share.owner_disabled_at !== null) return { kind: "unavailable" };
  if (share.redirect_to !== null) return { kind: "moved", shortId: share.redirect_to };
  const files = await listShareFiles(ctx.db, share.short_id);
  const active = files.filter((file) => file.status === "active");
  if (!isOpen(ctx, share) || active.length === 0) return { kind: isUsedUp(ctx, share) ? "usedUp" : "expired" };
  if (active.every((file) => file.scan_status === "unavailable"))
    return { kind: active.every((file) => file.failure === "digest_mismatch") ? "damaged" : "blocked" };
  const [file] = active;
  const isArriving = share.kind === "file" && file?.blob_state === "uploading";
  const planned = isArriving ? await findPlannedLimits(ctx, share, file.id) : undefined;
  return { kind: "open", share, files: active, planned };
}

function isUsedUp(ctx: Ctx, share: ShareRow): boolean {
  return share.max_downloads !== null && (share.expires_at === null || ctx.now() < share.expires_at);
}
