import { thumbnailKey } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError, notFound } from "../../errors.ts";
import { isWithdrawn } from "../effective-status.ts";
import { allowsThumbnail } from "../files/thumbnail-rules.ts";
import { signThumbnailUrl, verifyThumbnailUrl } from "../files/thumbnail-url.ts";
import { type FoundShare, findFileWithShare, findLinkedShare, listShareFiles } from "../shares/queries.ts";
import { isShareOpen, isSponsored } from "../shares/share-state.ts";

/** A thumbnail to send. */
export interface StoredThumbnail {
  readonly sizeBytes: number;
  /** Time for which a browser may use the thumbnail, in milliseconds. */
  readonly validMs: number;
  read(): AsyncIterable<Uint8Array>;
}

/** A thumbnail on a page. */
export interface ShownThumbnail {
  readonly url: string;
  /** Width in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Time for which anybody may cache a card's image. */
const CARD_MS = 5 * 60_000;

type ThumbnailColumns = Pick<FileRow, "blob_key" | "thumbnail_bytes" | "thumbnail_width" | "thumbnail_height">;
type ShownFile = ThumbnailColumns & Pick<FileRow, "id" | "status" | "scan_status" | "blob_state">;

/** A share as far as its thumbnails need it. */
type ShownShare = Omit<FoundShare, "sender_name">;

/**
 * Returns the thumbnail of a file for a recipient who has unlocked the share and does not have to wait; null if there is none to show.
 */
export function toThumbnailView(ctx: Ctx, file: ShownFile, share: ShownShare): ShownThumbnail | null {
  const { thumbnail_width: width, thumbnail_height: height } = file;
  if (!isShown(ctx, file, share) || width === null || height === null) return null;
  return { url: signThumbnailUrl(ctx, file.id, share), width, height };
}

/**
 * Opens the signed URL of a thumbnail. Throws SIGNATURE_INVALID if this server did not issue it for the share's current credentials or it has
 * expired, NOT_FOUND if there is no thumbnail or it can no longer be shown.
 */
export async function openThumbnail(ctx: Ctx, fileId: string, query: URLSearchParams): Promise<StoredThumbnail> {
  const found = await findFileWithShare(ctx.db, fileId);
  const expiresAtMs = verifyThumbnailUrl(ctx, fileId, found?.share.credentials_version ?? 0, query);
  if (expiresAtMs === undefined || ctx.now() >= expiresAtMs)
    throw new AppError("SIGNATURE_INVALID", "This URL is not valid, or has expired. Open the share link again to get a new one.");
  if (!found || (await isWithdrawn(ctx.db, found.file))) throw thumbnailNotFound();
  return toStored(ctx, found.file, found.share, expiresAtMs - ctx.now());
}

/**
 * Opens the image of a share's card, which anybody with the link can see: the first thumbnail of an unprotected share without a wait. Throws
 * NOT_FOUND.
 */
export async function openCardImage(ctx: Ctx, shortId: string): Promise<StoredThumbnail> {
  const share = await findLinkedShare(ctx.db, shortId);
  if (!share || !isShareOpen(ctx, share) || share.unlock_hash !== null || (await mustWait(ctx, share))) throw thumbnailNotFound();
  for (const file of await listShareFiles(ctx.db, share.short_id))
    if (isShown(ctx, file, share) && !(await isWithdrawn(ctx.db, file))) return toStored(ctx, file, share, CARD_MS);
  throw thumbnailNotFound();
}

/** Returns whether recipients of a share have to wait before its downloads. */
export const mustWait = async (ctx: Ctx, share: ShareRow): Promise<boolean> =>
  ctx.config.sponsoring.waitMs > 0 && (await isSponsored(ctx, share));

const isShown = (ctx: Ctx, file: ShownFile, share: ShownShare): boolean =>
  ctx.config.thumbnails && file.thumbnail_bytes !== null && allowsThumbnail(ctx, file, share);

function toStored(ctx: Ctx, file: ShownFile, share: FoundShare, validMs: number): StoredThumbnail {
  if (!isShown(ctx, file, share)) throw thumbnailNotFound();
  return {
    sizeBytes: file.thumbnail_bytes ?? 0,
    validMs,
    read: () => ctx.blobs.read(thumbnailKey(file.blob_key)),
  };
}

const thumbnailNotFound = (): AppError => notFound("thumbnail", "Open the share link again.");
