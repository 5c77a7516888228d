import type { Ctx } from "../../context.ts";
import type { FailureReason, ScanStatus } from "../../contract/scalars.ts";
import type { ShareMetadata } from "../../contract/shares.ts";
import { type ShareMetadataRow, shareMetadataQuery } from "../../db/share-metadata.ts";
import { findShare } from "../../db/shares.ts";
import { toFailureReason } from "../files/failure-reason.ts";
import type { Operation } from "../operation.ts";
import { isDirectEffective } from "./direct.ts";
import { isOpen } from "./is-open.ts";
import { shareNotFound } from "./share-not-found.ts";
import { isSponsored } from "./sponsored.ts";

/** `GET /files/share/{shortId}`: what anyone who has the link may know, and its owner. */
export const getShare: Operation<"getShare"> = async (ctx, { actor }, { shortId }) => {
  const rows = (await findRows(ctx, shortId)).filter((row) => row.status === "active");
  const [first] = rows;
  if (!first || !isOpen(ctx, { ...first, status: first.share_status })) throw shareNotFound();
  const common = {
    ...toCommon(first),
    directEffective: first.direct === 1 && (await isDirectEffective(ctx, first)),
    sponsoredDelivery: await isSponsored(ctx, first),
  };
  const isOwner = actor.kind === "user" && actor.userId === first.owner_id;
  const metadata: ShareMetadata = { ...common, ...(first.kind === "shipment" ? toShipment(rows) : toFile(first, isOwner)) };
  return { ...metadata, success: true, data: metadata };
};

/** The rows of a share, or of the shipment that took its file in. */
async function findRows(ctx: Ctx, shortId: string): Promise<readonly ShareMetadataRow[]> {
  const rows = await shareMetadataQuery.all(ctx.db, { shortId });
  if (rows.length > 0) return rows;
  const share = await findShare(ctx.db, shortId);
  return share?.redirect_to ? await shareMetadataQuery.all(ctx.db, { shortId: share.redirect_to }) : [];
}

type ScanCoverage = ShareMetadata["scanCoverage"];

type FileDependent = Pick<
  ShareMetadata,
  "id" | "size_bytes" | "content_type" | "sha256" | "scanStatus" | "failureReason" | "scanned" | "scanCoverage" | "uploading" | "files"
>;

function toCommon(row: ShareMetadataRow): Omit<ShareMetadata, keyof FileDependent | "directEffective" | "sponsoredDelivery"> {
  return {
    short_id: row.short_id,
    kind: row.kind,
    name: row.name,
    expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    unlockRequired: row.unlock_hash !== null,
    paymentRequired: row.price_cents !== null,
    priceCents: row.price_cents,
  };
}

/** Of a protected file the digest is its owner's alone: to others it would tell whether the file is one that they know. */
function toFile(row: ShareMetadataRow, isOwner: boolean): FileDependent {
  return {
    id: row.id,
    size_bytes: row.size_bytes,
    content_type: row.content_type,
    sha256: row.unlock_hash === null || isOwner ? row.sha256 : null,
    scanStatus: row.scan_status,
    failureReason: toFailureReason(row),
    scanned: wasScanned(row),
    scanCoverage: row.scan_coverage,
    uploading: row.blob_state === "uploading",
  };
}

/** A shipment's own id is its short id; its sizes are summed, and it is as far as the file that waits longest. */
function toShipment(rows: readonly ShareMetadataRow[]): FileDependent {
  return {
    id: rows[0]?.short_id ?? "",
    size_bytes: rows.reduce((sum, row) => sum + row.size_bytes, 0),
    content_type: null,
    sha256: null,
    scanStatus: worstStatus(rows.map((row) => row.scan_status)),
    failureReason: commonFailure(rows.map(toFailureReason)),
    scanned: rows.every(wasScanned),
    scanCoverage: leastCoverage(rows.map((row) => row.scan_coverage)),
    uploading: rows.some((row) => row.blob_state === "uploading"),
    files: rows.map((row) => ({
      id: row.id,
      name: row.file_name,
      size_bytes: row.size_bytes,
      content_type: row.content_type,
      scanStatus: row.scan_status,
      failureReason: toFailureReason(row),
      relativePath: row.relative_path,
    })),
  };
}

const wasScanned = (row: ShareMetadataRow): boolean => row.scan_coverage === "whole" || row.scan_coverage === "windowed";

/** The least far of those that are not blocked; blocked where all are. */
function worstStatus(statuses: readonly ScanStatus[]): ScanStatus {
  return (["pending", "scanning", "clean"] as const).find((status) => statuses.includes(status)) ?? "unavailable";
}

/** Null where a file is not blocked; otherwise the gravest. */
function commonFailure(reasons: readonly FailureReason[]): FailureReason {
  const gravest = (["infected", "scan_failed", "digest_mismatch"] as const).find((reason) => reasons.includes(reason));
  return reasons.includes(null) ? null : (gravest ?? null);
}

/** Of all files: as of the one that was looked at least. */
function leastCoverage(coverages: readonly ScanCoverage[]): ScanCoverage {
  const least = ([null, "none", "windowed"] as const).find((coverage) => coverages.includes(coverage));
  return least === undefined ? "whole" : least;
}
