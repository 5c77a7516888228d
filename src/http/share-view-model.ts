import type { ShareAccess, ShareFile, SharePageProps } from "../../web/share-view.ts";
import type { Ctx } from "../context.ts";
import type { ShareView } from "../service/shares/view-share.ts";
import { type ShownThumbnail, showThumbnail } from "../service/thumbnails/open-thumbnail.ts";

/** An active share and its files. */
export type OpenView = Extract<ShareView, { kind: "open" }>;

interface Recipient {
  readonly access: ShareAccess;
  readonly message?: string | null;
  /** Whether a wait before the download has not ended. */
  readonly isWaiting: boolean;
}

/** The view model of an active share's page. Hides digests until the share is unlocked, because a digest can identify a known file. */
export function toSharePage(
  ctx: Ctx,
  { share, files, receivedBytes, pending }: OpenView,
  { access, message, isWaiting }: Recipient,
): SharePageProps {
  const showsThumbnails = access.kind !== "locked" && !isWaiting;
  const facts = { maxDownloads: pending?.maxDownloads ?? share.max_downloads, receivedBytes };
  const shown = files.map((file) => ({
    ...toShareFile(file, facts),
    ...toThumbnail(showsThumbnails ? showThumbnail(ctx, file, share) : null),
  }));
  return {
    shortId: share.short_id,
    kind: share.kind,
    name: share.name,
    ...toExpiry(share, pending),
    nowMs: ctx.now(),
    once: share.once === 1 || pending?.once === true,
    access,
    message,
    files: access.kind === "locked" ? shown.map((file) => ({ ...file, sha256: null })) : shown,
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
}

type ThumbnailFields = Pick<ShareFile, "thumbnailUrl" | "thumbnailWidth" | "thumbnailHeight">;

const toThumbnail = (thumbnail: ShownThumbnail | null): ThumbnailFields => ({
  thumbnailUrl: thumbnail?.url ?? null,
  thumbnailWidth: thumbnail?.width ?? null,
  thumbnailHeight: thumbnail?.height ?? null,
});

function toShareFile(file: OpenView["files"][number], { maxDownloads, receivedBytes }: FileFacts): Omit<ShareFile, keyof ThumbnailFields> {
  return {
    id: file.id,
    name: file.name,
    relativePath: file.relative_path,
    sizeBytes: file.blob_state === "uploading" && file.size_bytes === 0 ? null : file.size_bytes,
    contentType: file.content_type,
    sha256: file.sha256,
    downloadsLeft: maxDownloads === null ? null : Math.max(0, maxDownloads - file.download_count),
    uploading: file.blob_state === "uploading",
    receivedBytes: receivedBytes.get(file.id) ?? null,
    scanStatus: file.scan_status,
    scanReason: file.scan_reason,
    failure: file.failure,
    scanCoverage: file.scan_coverage,
  };
}
