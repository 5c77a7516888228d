import type { ShareMetadata } from "../../contract/shares.ts";
import { type ShareMetadataRow, shareMetadataQuery } from "../../db/share-metadata.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { isOpen } from "./is-open.ts";

/** `GET /files/share/{shortId}`: what anyone who has the link may know. */
export const getShare: Operation<"getShare"> = async (ctx, _call, { shortId }) => {
  const row = await shareMetadataQuery.first(ctx.db, { shortId });
  if (row?.status !== "active" || !isOpen(ctx, { status: row.share_status, expires_at: row.expires_at })) throw shareNotFound();
  return toShareMetadata(row);
};

const shareNotFound = (): AppError =>
  new AppError("NOT_FOUND", "There is no such share, or it has expired. Ask whoever sent you the link for a new one.");

function toShareMetadata(row: ShareMetadataRow): ShareMetadata {
  return {
    id: row.id,
    short_id: row.short_id,
    kind: row.kind,
    name: row.name,
    size_bytes: row.size_bytes,
    content_type: row.content_type,
    sha256: row.sha256,
    expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    scanStatus: row.scan_status,
    scanned: row.scan_coverage === "whole" || row.scan_coverage === "windowed",
    uploading: row.blob_state === "uploading",
    unlockRequired: row.unlock_hash !== null,
    directEffective: false,
    sponsoredDelivery: false,
    paymentRequired: row.price_cents !== null,
    priceCents: row.price_cents,
  };
}
