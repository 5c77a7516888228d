import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { isOpenToOwner } from "../shares/share-state.ts";

/** The column values of a file whose bytes may be sent: its upload is complete and its scan has passed. */
export const READY = { scan_status: "clean", blob_state: "stored" } as const;

export const isReady = (file: Pick<FileRow, "scan_status" | "blob_state">): boolean =>
  file.scan_status === READY.scan_status && file.blob_state === READY.blob_state;

/** Returns whether a share has a download limit. */
export const isLimited = (share: Pick<ShareRow, "max_downloads">): boolean => share.max_downloads !== null;

/**
 * Returns whether a recipient who has unlocked the share sees a file without a counted download: the file is ready, and its share is open and has no
 * limit and no price (thumbnails, "Who sees them").
 */
const isViewable = (ctx: Pick<Ctx, "now">, file: ViewableFile, share: ViewableShare): boolean =>
  file.status === "active" && isReady(file) && isOpenToOwner(ctx, share) && !isLimited(share) && share.price_cents === null;

/**
 * Returns whether a recipient who has unlocked the share sees a file's thumbnail: the file is viewable, or the seller of a priced share shows
 * thumbnails (selling, "Prices").
 */
export function allowsThumbnail(
  ctx: Pick<Ctx, "now">,
  file: ViewableFile,
  share: ViewableShare & Pick<ShareRow, "price_thumbnails">,
): boolean {
  const isWanted = share.price_cents !== null && share.price_thumbnails === 1;
  return isViewable(ctx, file, isWanted ? { ...share, price_cents: null, max_downloads: null } : share);
}

type ViewableFile = Pick<FileRow, "status" | "scan_status" | "blob_state">;
type ViewableShare = Pick<ShareRow, "status" | "expires_at" | "max_downloads" | "price_cents"> & {
  readonly owner_disabled_at: number | null;
};
