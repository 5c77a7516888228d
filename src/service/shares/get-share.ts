import type { Ctx } from "../../context.ts";
import type { FailureReason } from "../../contract/scalars.ts";
import { cacheUntilCommit } from "../../db/commit-cache.ts";
import type { Db } from "../../db/database.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import type { Operation } from "../operation.ts";
import { findPaidPurchase } from "../selling/purchase-rows.ts";
import type { ShareMetadata } from "./contract.ts";
import { type FoundShare, findShareOfLink, readReceivedBytes, type ShareMetadataRow, shareMetadataQuery } from "./queries.ts";
import { unlockKind } from "./share-password.ts";
import {
  isDirectEffective,
  isOpenTo,
  isSponsored,
  leastAdvancedStatus,
  shareNotFound,
  toFailureReason,
  toScanStatus,
  wasScanned,
} from "./share-state.ts";
import { isUnlockedFor } from "./unlock.ts";

/**
 * `GET /files/share/{shortId}`: returns the public data of a share. The owner, buyers and callers who unlocked it also see protected data; of a
 * priced share, only the owner and buyers see the digests.
 */
export const getShare: Operation<"getShare"> = async (ctx, { actor }, { shortId, unlockToken, purchaseToken }) => {
  const { share, files } = await findOpenShare(ctx, actor, shortId);
  const uploading = files.filter((file) => file.blob_state === "uploading");
  const [first] = files;
  const received = await readReceivedBytes(
    ctx.db,
    uploading.map(({ id }) => id),
  );
  const metadata = {
    ...toCommon(share),
    directEffective: share.direct === 1 && (await isDirectEffective(ctx, share)),
    sponsoredDelivery: await isSponsored(ctx, share),
    ...(share.kind === "shipment" || !first ? toShipment(share, files, received) : toFile(first, received)),
  };
  const isBought = purchaseToken !== undefined && (await findPaidPurchase(ctx.db, purchaseToken, share.short_id)) !== undefined;
  if (!isBought && !isUnlockedFor(ctx, actor, share, unlockToken)) return hideContent(metadata);
  const isOwner = share.owner_id !== null && share.owner_id === ownerId(actor);
  return share.price_cents === null || isOwner || isBought ? metadata : hideDigests(metadata);
};

type SharePart = Pick<
  FoundShare,
  | "short_id"
  | "kind"
  | "name"
  | "expires_at"
  | "unlock_hash"
  | "handoff_hash"
  | "price_cents"
  | "direct"
  | "owner_id"
  | "max_downloads"
  | "title"
  | "message"
>;

interface OpenShare {
  readonly share: SharePart;
  /** The active files; empty for an empty shipment. */
  readonly files: readonly ShareMetadataRow[];
}

/** The rows of a share. Those of one file are cached, because they are most of what is looked up, and small. */
const findRows = cacheUntilCommit(
  (db: Db, shortId) => shareMetadataQuery.all(db, { shortId }),
  (rows) => rows.length === 1,
);

/** Finds an open share, or the shipment that its file joined. Throws NOT_FOUND. */
async function findOpenShare(ctx: Ctx, actor: Actor, shortId: string): Promise<OpenShare> {
  const rows = (await findRows(ctx.db, shortId)) ?? [];
  const files = rows.filter((row) => row.status === "active");
  const [first] = files;
  if (first && isOpenTo(ctx, { ...first, status: first.share_status }, ownerId(actor))) return { share: first, files };
  const share = rows.length > 0 ? undefined : await findShareOfLink(ctx.db, shortId);
  if (share?.redirect_to) return await findOpenShare(ctx, actor, share.redirect_to);
  if (share && share.short_id !== shortId) return await findOpenShare(ctx, actor, share.short_id);
  if (share?.kind !== "shipment" || !isOpenTo(ctx, share, ownerId(actor))) throw shareNotFound();
  return { share, files: [] };
}

type ScanCoverage = ShareMetadata["scanCoverage"];

type FileDependent = Pick<
  ShareMetadata,
  | "id"
  | "size_bytes"
  | "content_type"
  | "sha256"
  | "scanStatus"
  | "failureReason"
  | "modifiedAt"
  | "executable"
  | "encrypted"
  | "scanned"
  | "scanCoverage"
  | "uploading"
  | "receivedBytes"
  | "files"
>;

type ReceivedBytes = ReadonlyMap<string, number>;

function toCommon(row: SharePart): Omit<ShareMetadata, keyof FileDependent | "directEffective" | "sponsoredDelivery"> {
  return {
    short_id: row.short_id,
    kind: row.kind,
    name: row.name,
    title: row.title,
    message: row.message,
    expires_at: toIso(row.expires_at),
    unlockRequired: row.unlock_hash !== null,
    unlockKind: unlockKind(row),
    downloadsLimited: row.max_downloads !== null,
    paymentRequired: row.price_cents !== null,
    priceCents: row.price_cents,
  };
}

/** Removes the sender's texts and the content's data: a digest would reveal whether the file is one that the caller knows. */
const hideContent = (metadata: ShareMetadata): ShareMetadata => ({
  ...metadata,
  title: null,
  message: null,
  sha256: null,
  modifiedAt: null,
  executable: false,
  ...(metadata.files && { files: null }),
});

/** Removes digests, which would reveal whether a sold file is one that the caller knows. */
const hideDigests = ({ files, ...metadata }: ShareMetadata): ShareMetadata => ({
  ...metadata,
  sha256: null,
  ...(files && { files: files.map((file) => ({ ...file, sha256: null })) }),
});

function toFile(row: ShareMetadataRow, received: ReceivedBytes): FileDependent {
  return {
    id: row.id,
    size_bytes: row.size_bytes,
    content_type: row.content_type,
    sha256: row.sha256,
    scanStatus: toScanStatus(row),
    failureReason: toFailureReason(row),
    modifiedAt: toIso(row.modified_at),
    executable: row.is_executable === 1,
    encrypted: row.is_encrypted === 1,
    scanned: wasScanned(row),
    scanCoverage: row.scan_coverage,
    uploading: row.blob_state === "uploading",
    receivedBytes: row.blob_state === "uploading" ? (received.get(row.id) ?? 0) : null,
  };
}

/** Summarizes a shipment: its ID is its short ID, its size the sum, and its scan status the status of the least advanced file. */
function toShipment(share: SharePart, rows: readonly ShareMetadataRow[], received: ReceivedBytes): FileDependent {
  const uploading = rows.some((row) => row.blob_state === "uploading");
  const receivedOf = (row: ShareMetadataRow): number => (row.blob_state === "uploading" ? (received.get(row.id) ?? 0) : row.size_bytes);
  return {
    id: share.short_id,
    size_bytes: rows.reduce((sum, row) => sum + row.size_bytes, 0),
    content_type: null,
    sha256: null,
    scanStatus: leastAdvancedStatus(rows.map(toScanStatus)),
    failureReason: rows.length === 0 ? null : worstFailure(rows.map(toFailureReason)),
    modifiedAt: null,
    executable: false,
    encrypted: rows.some((row) => row.is_encrypted === 1),
    scanned: rows.length > 0 && rows.every(wasScanned),
    scanCoverage: rows.length === 0 ? null : leastCoverage(rows.map((row) => row.scan_coverage)),
    uploading,
    receivedBytes: uploading ? rows.reduce((sum, row) => sum + receivedOf(row), 0) : null,
    files: rows.map((row) => ({
      id: row.id,
      name: row.file_name,
      size_bytes: row.size_bytes,
      content_type: row.content_type,
      encrypted: row.is_encrypted === 1,
      sha256: row.sha256,
      scanStatus: toScanStatus(row),
      failureReason: toFailureReason(row),
      relativePath: row.relative_path,
      modifiedAt: toIso(row.modified_at),
      executable: row.is_executable === 1,
      uploading: row.blob_state === "uploading",
      receivedBytes: row.blob_state === "uploading" ? (received.get(row.id) ?? null) : null,
    })),
  };
}

/** Returns the most severe reason; null if any file is not blocked. */
function worstFailure(reasons: readonly FailureReason[]): FailureReason {
  const mostSevere = (["infected", "scan_failed", "digest_mismatch"] as const).find((reason) => reasons.includes(reason));
  return reasons.includes(null) ? null : (mostSevere ?? null);
}

/** Returns the coverage of the file that was scanned least. */
function leastCoverage(coverages: readonly ScanCoverage[]): ScanCoverage {
  const least = ([null, "none", "windowed"] as const).find((coverage) => coverages.includes(coverage));
  return least === undefined ? "whole" : least;
}
