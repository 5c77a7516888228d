import type { Ctx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { toLinks } from "../shares/aliases.ts";
import type { ProtectionCredentials } from "../shares/credentials.ts";
import { unlockKind } from "../shares/share-password.ts";
import { isActive, isBlocklisted, toFailureReason, toScanStatus, wasScanned } from "../shares/share-state.ts";
import type { FileItem, UploadResult } from "./contract.ts";
import { type FileLinks, readLinks } from "./links.ts";
import type { ListedFile } from "./listing-queries.ts";
import { signDownloadUrl } from "./signed-url.ts";
import { allowsThumbnail } from "./thumbnail-rules.ts";
import { signThumbnailUrl } from "./thumbnail-url.ts";

/** The secrets of an anonymous upload and of a protected share, which only the response to the upload contains. */
export interface OneTimeTokens extends Partial<ProtectionCredentials> {
  readonly claimToken?: string;
  readonly deletionToken?: string;
}

/** A file that an upload has published. */
export interface FinalizedUpload {
  readonly file: FileRow;
  readonly share: ShareRow;
  readonly tokens: OneTimeTokens;
}

type ViewCtx = Pick<Ctx, "config" | "urls" | "keyring" | "now">;

const UPLOADER_URL_TTL_MS = 24 * HOUR_MS;

/** Returns the response to an upload (model, "The upload response"). */
export function toUploadResult(ctx: Pick<Ctx, "urls" | "keyring" | "now">, { file, share, tokens }: FinalizedUpload): UploadResult {
  const links = toLinks(ctx, share);
  return {
    id: file.id,
    shortId: share.short_id,
    shortCode: share.short_id,
    ...links,
    // Does not sign a URL for a private share, because its uploader may not be its owner.
    url: share.is_private === 1 ? links.shareUrl : signOwnUrl(ctx, { file, share }),
    name: file.name,
    size: file.size_bytes,
    mimeType: file.content_type,
    encrypted: file.is_encrypted === 1,
    sha256: file.sha256,
    createdAt: toIso(file.created_at),
    expiresAt: toIso(share.expires_at),
    isAnonymous: file.owner_id === null,
    runId: file.run_id,
    scanStatus: toScanStatus(file),
    ...tokens,
  };
}

const signOwnUrl = (ctx: Pick<Ctx, "urls" | "keyring" | "now">, listed: ListedFile): string =>
  signDownloadUrl(ctx, { ...listed, purpose: "uploader", expiresAtMs: ctx.now() + UPLOADER_URL_TTL_MS });

/** Returns files as their owner sees them, in the same order. */
export async function toFileItems(ctx: ViewCtx & Pick<Ctx, "db">, files: readonly ListedFile[]): Promise<FileItem[]> {
  const links = await readLinks(ctx, files);
  return files.map((file) => toFileItem(ctx, file, links.get(file.file.id)));
}

/** Returns a file as its owner sees it: the response to its upload, without secrets, and its current state. */
export function toFileItem(ctx: ViewCtx, { file, share }: ListedFile, { links, total }: FileLinks = { links: [], total: 0 }): FileItem {
  const hasExpired = file.status === "active" && share.status === "active" && !isActive(ctx, share);
  return {
    ...toUploadResult(ctx, { file, share, tokens: {} }),
    name: file.owner_name ?? file.name,
    url: signOwnUrl(ctx, { file, share }),
    downloads: file.download_count,
    folderId: file.folder_id,
    visibility: share.is_private === 1 ? "private" : share.visibility,
    requestId: file.request_id,
    unlockRequired: share.unlock_hash !== null,
    unlockKind: unlockKind(share),
    status: hasExpired ? "expired" : file.status,
    failureReason: toFailureReason(file),
    scanned: wasScanned(file),
    isBlocklisted: isBlocklisted(file),
    immutable: file.immutable === 1,
    linkCount: total,
    links: links.map(({ place, share }) => toLinkView(ctx, place.id, share)),
    thumbnailUrl: hasThumbnail(ctx, { file, share }) ? signThumbnailUrl(ctx, file.id, share) : null,
  };
}

/** Returns a link of a file in a list. */
export const toLinkView = (
  ctx: Pick<Ctx, "urls">,
  id: string,
  share: Pick<ShareRow, "short_id" | "alias" | "title">,
): FileItem["links"][number] => ({
  id,
  shortId: share.short_id,
  ...toLinks(ctx, share),
  title: share.title,
});

const hasThumbnail = (ctx: ViewCtx, { file, share }: ListedFile): boolean =>
  ctx.config.thumbnails && file.thumbnail_bytes !== null && allowsThumbnail(ctx, file, { ...share, owner_disabled_at: null });
