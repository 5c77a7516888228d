import type { Ctx } from "../../context.ts";
import type { UploadResult } from "../../contract/files.ts";
import { HOUR_MS } from "../../domain/ttl.ts";
import { signDownloadUrl } from "../downloads/signed-url.ts";
import type { FinishedUpload } from "./finish-upload.ts";

const UPLOADER_URL_MS = 24 * HOUR_MS;

/** What an upload answers (decisions, "Uploads"). */
export function toUploadResult(ctx: Pick<Ctx, "addresses" | "keyring" | "now">, { file, share, tokens }: FinishedUpload): UploadResult {
  return {
    id: file.id,
    shortId: share.short_id,
    shortCode: share.short_id,
    shareUrl: `${ctx.addresses.siteUrl}/d/${share.short_id}`,
    sharePath: `/d/${share.short_id}`,
    url: signDownloadUrl(ctx, { file, share, purpose: "uploader", untilMs: ctx.now() + UPLOADER_URL_MS }),
    name: file.name,
    size: file.size_bytes,
    mimeType: file.content_type,
    sha256: file.sha256,
    createdAt: new Date(file.created_at).toISOString(),
    expiresAt: share.expires_at === null ? null : new Date(share.expires_at).toISOString(),
    isAnonymous: file.owner_id === null,
    runId: file.run_id,
    scanStatus: file.scan_status,
    ...tokens,
  };
}
