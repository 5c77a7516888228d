import type { Ctx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { findPendingLimits, type PendingLimits } from "./pending-settings.ts";
import { type FoundShare, findShareByToken, findShareOfLink, listViewedFiles, readReceivedBytes, type ViewedFile } from "./queries.ts";
import { isBlocklisted, isOpenToOwner, isVisibleTo } from "./share-state.ts";

/** The content of a share's page: the share, or the reason why it cannot be opened. */
export type ShareView =
  | {
      readonly kind: "open";
      readonly share: FoundShare;
      /** The files; empty for a shipment without files. */
      readonly files: readonly ViewedFile[];
      /** The ID of a file that is uploading in parts → its received bytes. */
      readonly receivedBytes: ReadonlyMap<string, number>;
      /** The limits that the share will have; undefined once its only file is complete. */
      readonly pending?: PendingLimits;
    }
  /** The file of the link joined the shipment `shortId`. */
  | { readonly kind: "moved"; readonly shortId: string }
  /** `share` leads to the takedown. */
  | { readonly kind: "takenDown"; readonly share: FoundShare }
  /** `ownShortId`: its short ID if the viewer's account sent it; null for others, and for received files. */
  | { readonly kind: "expired" | "usedUp"; readonly ownShortId: string | null }
  | { readonly kind: "missing" | "blocked" | "blocklisted" | "damaged" | "notAvailable" };

/** Finds the content of a share link's page for an account or, with null, for anybody. */
export async function viewShare(ctx: Ctx, shortId: string, viewerId: string | null): Promise<ShareView> {
  return await toView(ctx, await findShareOfLink(ctx.db, shortId), viewerId);
}

/** Finds the content of a handoff link's page; `missing` if the token is unknown or was replaced. */
export async function viewHandoff(ctx: Ctx, token: string): Promise<ShareView> {
  return await toView(ctx, await findShareByToken(ctx.db, token), null);
}

async function toView(ctx: Ctx, share: FoundShare | undefined, viewerId: string | null): Promise<ShareView> {
  if (!share || share.status === "deleted" || !isVisibleTo(share, viewerId)) return { kind: "missing" };
  if (share.status === "dmca_removed") return { kind: "takenDown", share };
  if (share.owner_disabled_at !== null) return { kind: "notAvailable" };
  if (share.redirect_to !== null) return { kind: "moved", shortId: share.redirect_to };
  const isOwn = viewerId !== null && viewerId === share.owner_id;
  const files = await listViewedFiles(ctx.db, share.short_id);
  const active = files.filter((file) => file.status === "active");
  const isEmpty = share.kind === "shipment" && files.length === 0;
  if (!isOpenToOwner(ctx, share) || (active.length === 0 && !isEmpty)) {
    const ownShortId = isOwn && share.is_private === 0 ? share.short_id : null;
    return { kind: isUsedUp(ctx, share) ? "usedUp" : "expired", ownShortId };
  }
  if (!isEmpty && active.every((file) => file.scan_status === "unavailable")) return { kind: whyBlocked(active, isOwn) };
  const [file] = active;
  const isUploading = share.kind === "file" && file?.blob_state === "uploading";
  const pending = isUploading ? await findPendingLimits(ctx, share, file.id) : undefined;
  const uploading = active.filter(({ blob_state }) => blob_state === "uploading").map(({ id }) => id);
  return { kind: "open", share, files: active, receivedBytes: await readReceivedBytes(ctx.db, uploading), pending };
}

function whyBlocked(files: readonly ViewedFile[], isOwner: boolean): "damaged" | "blocklisted" | "blocked" {
  if (files.every((file) => file.failure === "digest_mismatch")) return "damaged";
  return isOwner && files.every(isBlocklisted) ? "blocklisted" : "blocked";
}

/** Returns whether a closed share reached its download limit before it expired. */
function isUsedUp(ctx: Ctx, share: ShareRow): boolean {
  return share.max_downloads !== null && (share.expires_at === null || ctx.now() < share.expires_at);
}
