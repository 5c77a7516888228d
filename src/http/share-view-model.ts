import { type ListRequest, listFiles, mapListed } from "../../web/file-listing.ts";
import type { ShareAccess, ShareFile, SharePageProps } from "../../web/share-view.ts";
import type { Ctx } from "../context.ts";
import type { ShareView } from "../service/shares/view-share.ts";
import { type ShownThumbnail, showThumbnail } from "../service/thumbnails/open-thumbnail.ts";

/** An active share and its files. */
export type OpenView = Extract<ShareView, { kind: "open" }>;

interface Recipient {
  readonly access: ShareAccess;
  readonly handoffMessage?: string | null;
  /** Whether a wait before the download has not ended. */
  readonly isWaiting: boolean;
  /** The part of the list that the recipient looks at. */
  readonly request: ListRequest;
}

/** The view model of an active share's page. Hides digests until the share is unlocked, because a digest can identify a known file. */
export function toSharePage(
  ctx: Ctx,
  { share, files, receivedBytes, pending }: OpenView,
  { access, handoffMessage, isWaiting, request }: Recipient,
): SharePageProps {
  const isLocked = access.kind === "locked";
  const maxDownloads = pending?.maxDownloads ?? share.max_downloads;
  const all = files.map((file) => toShareFile(file, { maxDownloads, isLocked, receivedBytes }));
  const rows = new Map(files.map((file) => [file.id, file]));
  const addThumbnail = (file: ShareFile): ShareFile => {
    const row = rows.get(file.id);
    return row && !isLocked && !isWaiting ? { ...file, ...toThumbnail(showThumbnail(ctx, row, share)) } : file;
  };
  return {
    shortId: share.short_id,
    shareUrl: `${ctx.urls.siteUrl}/d/${share.short_id}`,
    kind: share.kind,
    ...toExpiry(share, pending),
    nowMs: ctx.now(),
    once: share.once === 1 || pending?.once === true,
    access,
    title: isLocked ? null : share.title,
    message: isLocked ? null : [share.message, handoffMessage].filter(Boolean).join("\n\n"),
    files: all,
    listing: mapListed(listFiles(all, request), addThumbnail),
  };
}

function toExpiry({ expires_at }: OpenView["share"], pending: OpenView["pending"]): Pick<SharePageProps, "expiresAtMs" | "expiresAfterMs"> {
  if (pending === undefined) return { expiresAtMs: expires_at };
  const { expiry } = pending;
  return expiry !== null && "afterMs" in expiry
    ? { expiresAtMs: null, expiresAfterMs: expiry.afterMs }
    : { expiresAtMs: expiry?.atMs ?? null };
}

interface FileFacts extends Pick<OpenView, "receivedBytes"> {
  readonly maxDownloads: number | null;
  readonly isLocked: boolean;
}

type ThumbnailFields = Pick<ShareFile, "thumbnailUrl" | "thumbnailWidth" | "thumbnailHeight">;

const toThumbnail = (thumbnail: ShownThumbnail | null): ThumbnailFields => ({
  thumbnailUrl: thumbnail?.url ?? null,
  thumbnailWidth: thumbnail?.width ?? null,
  thumbnailHeight: thumbnail?.height ?? null,
});

function toShareFile(file: OpenView["files"][number], { maxDownloads, isLocked, receivedBytes }: FileFacts): ShareFile {
  return {
    id: file.id,
    name: file.name,
    relativePath: file.relative_path,
    sizeBytes: file.blob_state === "uploading" && file.size_bytes === 0 ? null : file.size_bytes,
    contentType: file.content_type,
    sha256: isLocked ? null : file.sha256,
    downloadsLeft: maxDownloads === null ? null : Math.max(0, maxDownloads - file.download_count),
    thumbnailUrl: null,
    thumbnailWidth: null,
    thumbnailHeight: null,
    createdAtMs: file.created_at,
    uploading: file.blob_state === "uploading",
    receivedBytes: receivedBytes.get(file.id) ?? null,
    scanStatus: file.scan_status,
    scanReason: file.scan_reason,
    failure: file.failure,
    scanCoverage: file.scan_coverage,
  };
}
