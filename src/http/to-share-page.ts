import type { ShareAccess, ShareFile, SharePageProps } from "../../web/share-view.ts";
import type { Ctx } from "../context.ts";
import type { ShareView } from "../operations/shares/view-share.ts";

/** A share that can be looked at, and its files. */
export type OpenView = Extract<ShareView, { kind: "open" }>;

interface Look {
  readonly access: ShareAccess;
  readonly message?: string | null;
}

/** What the page of an open share is made from. A digest tells who has not unlocked the share whether a file is one that they know. */
export function toSharePage(ctx: Pick<Ctx, "now">, { share, files, planned }: OpenView, { access, message }: Look): SharePageProps {
  const shown = files.map((file) => toShareFile(file, planned?.maxDownloads ?? share.max_downloads));
  return {
    shortId: share.short_id,
    kind: share.kind,
    name: share.name,
    ...toExpiry(share, planned),
    nowMs: ctx.now(),
    once: share.once === 1 || planned?.once === true,
    access,
    message,
    files: access.kind === "locked" ? shown.map((file) => ({ ...file, sha256: null })) : shown,
  };
}

function toExpiry({ expires_at }: OpenView["share"], planned: OpenView["planned"]): Pick<SharePageProps, "expiresAtMs" | "expiresAfterMs"> {
  if (planned === undefined) return { expiresAtMs: expires_at };
  const { expiry } = planned;
  return expiry !== null && "afterMs" in expiry
    ? { expiresAtMs: null, expiresAfterMs: expiry.afterMs }
    : { expiresAtMs: expiry?.atMs ?? null };
}

function toShareFile(file: OpenView["files"][number], maxDownloads: number | null): ShareFile {
  return {
    id: file.id,
    name: file.name,
    relativePath: file.relative_path,
    sizeBytes: file.blob_state === "uploading" && file.size_bytes === 0 ? null : file.size_bytes,
    contentType: file.content_type,
    sha256: file.sha256,
    downloadsLeft: maxDownloads === null ? null : Math.max(0, maxDownloads - file.download_count),
    uploading: file.blob_state === "uploading",
    scanStatus: file.scan_status,
    scanReason: file.scan_reason,
    failure: file.failure,
    scanCoverage: file.scan_coverage,
  };
}
