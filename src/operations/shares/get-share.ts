import type { TxCtx } from "../../context.ts";
import type { ShareMetadata } from "../../contract/shares.ts";
import { findShare, listShareFiles } from "../../db/shares.ts";
import type { FileRow, ShareRow } from "../../db/schema.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";

/** `GET /files/share/{shortId}`: what anyone who has the link may know. */
export const getShare: Operation<"getShare"> = async (ctx, _call, { shortId }) => {
  const share = await findShare(ctx.db, shortId);
  if (!share || !isOpen(ctx, share)) throw shareNotFound();
  const [file] = await listShareFiles(ctx.db, shortId);
  if (!file || file.status !== "active") throw shareNotFound();
  return toShareMetadata(share, file);
};

/** Whether a share can be looked at: active, and its time not over, whether or not the cleanup has come by. */
export function isOpen(ctx: Pick<TxCtx, "now">, share: ShareRow): boolean {
  return share.status === "active" && (share.expires_at === null || ctx.now() < share.expires_at);
}

export const shareNotFound = (): AppError =>
  new AppError("NOT_FOUND", "There is no such share, or it has expired. Ask whoever sent you the link for a new one.");

function toShareMetadata(share: ShareRow, file: FileRow): ShareMetadata {
  return {
    id: file.id,
    short_id: share.short_id,
    kind: share.kind,
    name: share.name,
    size_bytes: file.size_bytes,
    content_type: file.content_type,
    sha256: file.sha256,
    expires_at: share.expires_at === null ? null : new Date(share.expires_at).toISOString(),
    scanStatus: file.scan_status,
    scanned: file.scan_coverage === "whole" || file.scan_coverage === "windowed",
    uploading: file.blob_state === "uploading",
    unlockRequired: share.unlock_hash !== null,
    directEffective: false,
    sponsoredDelivery: false,
    paymentRequired: share.price_cents !== null,
    priceCents: share.price_cents,
  };
}
