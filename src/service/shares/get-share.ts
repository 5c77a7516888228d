import type { Ctx } from "../../context.ts";
import type { FailureReason, ScanStatus } from "../../contract/scalars.ts";
import { toIso } from "../../lib/iso-time.ts";
import type { Operation } from "../operation.ts";
import type { ShareMetadata } from "./contract.ts";
import { findShare, type ShareMetadataRow, shareMetadataQuery } from "./queries.ts";
import { isDirectEffective, isShareOpen, isSponsored, shareNotFound, toFailureReason } from "./share-state.ts";

/** `GET /files/share/{shortId}`: what anyone with the link may know; its owner also sees the digest of a protected file. */
export const getShare: Operation<"getShare"> = async (ctx, { actor }, { shortId }) => {
  const rows = (await findRows(ctx, shortId)).filter((row) => row.status === "active");
  const [first] = rows;
  if (!first || !isShareOpen(ctx, { ...first, status: first.share_status })) throw shareNotFound();
  const common = {
    ...toCommon(first),
    directEffective: first.direct === 1 && (await isDirectEffective(ctx, first)),
    sponsoredDelivery: await isSponsored(ctx, first),
  };
  const isOwner = actor.kind === "user" && actor.userId === first.owner_id;
  return { ...common, ...(first.kind === "shipment" ? toShipment(rows) : toFile(first, isOwner)) };
};

/** The rows of a share, or of the shipment that its file joined. */
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
    expires_at: toIso(row.expires_at),
    unlockRequired: row.unlock_hash !== null,
    paymentRequired: row.price_cents !== null,
    priceCents: row.price_cents,
  };
}

/** Hides the digest of a protected file from others: it would reveal whether the file is one that they know. */
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

/** Summarizes a shipment: its ID is its short ID, its size the sum, its scan status that of the least advanced file. */
function toShipment(rows: readonly ShareMetadataRow[]): FileDependent {
  return {
    id: rows[0]?.short_id ?? "",
    size_bytes: rows.reduce((sum, row) => sum + row.size_bytes, 0),
    content_type: null,
    sha256: null,
    scanStatus: leastAdvancedStatus(rows.map((row) => row.scan_status)),
    failureReason: worstFailure(rows.map(toFailureReason)),
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

/** The least advanced status of the files that are not blocked; `unavailable` if all are. */
function leastAdvancedStatus(statuses: readonly ScanStatus[]): ScanStatus {
  return (["pending", "scanning", "clean"] as const).find((status) => statuses.includes(status)) ?? "unavailable";
}

/** The most severe reason; null if any file is not blocked. */
function worstFailure(reasons: readonly FailureReason[]): FailureReason {
  const mostSevere = (["infected", "scan_failed", "digest_mismatch"] as const).find((reason) => reasons.includes(reason));
  return reasons.includes(null) ? null : (mostSevere ?? null);
}

/** The coverage of the file that was scanned least. */
function leastCoverage(coverages: readonly ScanCoverage[]): ScanCoverage {
  const least = ([null, "none", "windowed"] as const).find((coverage) => coverages.includes(coverage));
  return least === undefined ? "whole" : least;
}
