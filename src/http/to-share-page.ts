import type { ShareAccess, ShareFile, SharePageProps } from "../../web/share-view.ts";
import type { Ctx } from "../context.ts";
import type { ShareView } from "../operations/shares/view-share.ts";

/** A share that can be looked at, and its files. */
export type OpenView = Extract<ShareView, { kind: "open" }>;

interface Look {
  readonly access: ShareAccess;
  readonly message?: string | null;
}

/** What the page of an open share is made from. */
export function toSharePage(ctx: Pick<Ctx, "now">, { share, files }: OpenView, { access, message }: Look): SharePageProps {
  return {
    shortId: share.short_id,
    kind: share.kind,
    name: share.name,
    expiresAtMs: share.expires_at,
    nowMs: ctx.now(),
    once: share.once === 1,
    access,
    message,
    files: files.map((file) => toShareFile(file, share)),
  };
}

function toShareFile(file: OpenView["files"][number], share: OpenView["share"]): ShareFile {
  return {
    id: file.id,
    name: file.name,
    relativePath: file.relative_path,
    sizeBytes: file.blob_state === "uploading" && file.size_bytes === 0 ? null : file.size_bytes,
    contentType: file.content_type,
    sha256: file.sha256,
    downloadsLeft: share.max_downloads === null ? null : Math.max(0, share.max_downloads - file.download_count),
    uploading: file.blob_state === "uploading",
    scanStatus: file.scan_status,
    scanReason: file.scan_reason,
    failure: file.failure,
    scanCoverage: file.scan_coverage,
  };
}
