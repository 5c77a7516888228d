import type { ShareAccess, ShareFile, SharePageProps } from "../../web/share-view.ts";
import type { Ctx } from "../context.ts";
import type { ShareView } from "../service/shares/view-share.ts";

/** An active share and its files. */
export type OpenView = Extract<ShareView, { kind: "open" }>;

interface Recipient {
  readonly access: ShareAccess;
  readonly message?: string | null;
}

/** The view model of an active share's page. Hides digests until the share is unlocked, because a digest can identify a known file. */
export function toSharePage(
  ctx: Pick<Ctx, "now">,
  { share, files, receivedBytes, pending }: OpenView,
  { access, message }: Recipient,
): SharePageProps {
  const shown = files.map((file) => toShareFile(file, { maxDownloads: pending?.maxDownloads ?? share.max_downloads, receivedBytes }));
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

function toShareFile(file: OpenView["files"][number], { maxDownloads, receivedBytes }: FileFacts): ShareFile {
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
