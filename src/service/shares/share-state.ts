import type { Ctx } from "../../context.ts";
import type { FailureReason, ScanStatus } from "../../contract/scalars.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { type AppError, notFound } from "../../errors.ts";
import { effectiveTier } from "../accounts/pro-end.ts";
import { ownerTierQuery } from "../accounts/queries.ts";
import type { FoundShare } from "./queries.ts";

/** The columns that decide whether a share can be opened. */
export type OpenableShare = Pick<FoundShare, "status" | "expires_at" | "owner_disabled_at" | "is_private">;

/** Returns whether anybody can open a share: its owner can, and it is not private. */
export const isShareOpen = (ctx: Pick<Ctx, "now">, share: OpenableShare): boolean => share.is_private === 0 && isOpenToOwner(ctx, share);

/**
 * Returns whether the owner can open a share, directly or with a signed URL: it is active, has not expired, and the owner's account is not disabled.
 */
export const isOpenToOwner = (ctx: Pick<Ctx, "now">, share: Omit<OpenableShare, "is_private">): boolean =>
  share.owner_disabled_at === null && isActive(ctx, share);

/**
 * Returns whether an account, or null for an anonymous caller, can open a share. Only its owner can open a private one (requests, "Received files").
 */
export const isOpenTo = (ctx: Pick<Ctx, "now">, share: OpenableShare & Pick<ShareRow, "owner_id">, accountId: string | null): boolean =>
  isShareOpen(ctx, share) || (accountId !== null && share.owner_id === accountId && isOpenToOwner(ctx, share));

/** Returns whether an account, or null for an anonymous caller, may know that a share exists. Only its owner may know about a private one. */
export const isVisibleTo = ({ is_private, owner_id }: Pick<ShareRow, "is_private" | "owner_id">, accountId: string | null): boolean =>
  is_private === 0 || (accountId !== null && owner_id === accountId);

/** Returns whether a share is active and has not expired, even if cleanup has not marked it as expired yet. */
export function isActive(ctx: Pick<Ctx, "now">, share: Pick<FoundShare, "status" | "expires_at">): boolean {
  return share.status === "active" && (share.expires_at === null || ctx.now() < share.expires_at);
}

/** Returns the state of a share. A share that expired since the last cleanup is still active in the database. */
export function toShareState(
  ctx: Pick<Ctx, "now">,
  share: Pick<ShareRow, "status" | "expires_at" | "ended_at" | "max_downloads">,
): "active" | "expired" | "used_up" | "taken_down" {
  if (share.status === "dmca_removed") return "taken_down";
  if (isActive(ctx, share)) return "active";
  const isEarly = share.ended_at !== null && (share.expires_at === null || share.ended_at < share.expires_at);
  return isEarly && share.max_downloads !== null ? "used_up" : "expired";
}

/** Returns whether a share's owner has Pro, including the grace period; false without an owner. */
export async function isOwnerPro(ctx: Pick<Ctx, "db" | "now">, { owner_id }: Pick<ShareRow, "owner_id">): Promise<boolean> {
  if (owner_id === null) return false;
  const owner = await ownerTierQuery.first(ctx.db, { userId: owner_id });
  return owner !== undefined && effectiveTier(owner, ctx.now()) === "pro";
}

type DirectColumns = Pick<ShareRow, "direct" | "kind" | "unlock_hash" | "price_cents" | "max_downloads" | "owner_id">;

/**
 * Returns whether opening a share starts its download: its Pro owner chose so, and it is open and has no price or limit (direct shares, "Direct
 * shares").
 */
export async function isDirectEffective(ctx: Pick<Ctx, "db" | "now">, share: DirectColumns): Promise<boolean> {
  const isGuarded = share.unlock_hash !== null || share.price_cents !== null || share.max_downloads !== null;
  if (share.direct === 0 || share.kind !== "file" || isGuarded) return false;
  return await isOwnerPro(ctx, share);
}

/**
 * Returns whether a share's recipients see a sponsor or wait: the server is configured so, and the owner does not have Pro (model, "Share metadata").
 */
export async function isSponsored(ctx: Pick<Ctx, "config" | "db" | "now">, share: Pick<ShareRow, "owner_id">): Promise<boolean> {
  const { html, waitMs } = ctx.config.sponsoring;
  return (html !== undefined || waitMs > 0) && !(await isOwnerPro(ctx, share));
}

/** Creates the error for an unknown or expired share, which is the same, so that a caller cannot distinguish them. */
export const shareNotFound = (): AppError => notFound("share", "Ask the sender for a new link.", "or has expired");

/** Returns the reason why a file is unavailable, as recipients also see it; null in any other state. */
export function toFailureReason({
  scan_status,
  scan_reason,
  failure,
}: Pick<FileRow, "scan_status" | "scan_reason" | "failure">): FailureReason {
  if (scan_status !== "unavailable") return null;
  return failure === "digest_mismatch" ? failure : (scan_reason ?? "scan_failed");
}

/** The columns of a file whose digest is on the blocklist. Administrators see the detail. */
export const BLOCKLISTED = { failure: "blocklisted", scan_detail: "its SHA-256 is on the blocklist" } as const;

/** Returns whether the blocklist makes a file unavailable. Only its owner and administrators learn that (scanning, "The blocklist"). */
export const isBlocklisted = ({ scan_status, failure }: Pick<FileRow, "scan_status" | "failure">): boolean =>
  scan_status === "unavailable" && failure === "blocklisted";

/**
 * Returns the scan status to show. A file without its digest is `pending`, even if it can be downloaded because no scan is required (scanning, "The
 * scan").
 */
export const toScanStatus = ({ scan_status, sha256 }: Pick<FileRow, "scan_status" | "sha256">): ScanStatus =>
  scan_status === "clean" && sha256 === null ? "pending" : scan_status;

/**
 * Returns the scan status of a share: the status of its least advanced file that is not blocked, `unavailable` if all are blocked, `pending` without
 * files.
 */
export function leastAdvancedStatus(statuses: readonly ScanStatus[]): ScanStatus {
  if (statuses.length === 0) return "pending";
  return (["pending", "scanning", "clean"] as const).find((status) => statuses.includes(status)) ?? "unavailable";
}

/**
 * Whether a scanner has read the bytes. A file without a scanner is `clean` too, because it can be downloaded (scanning, "Whether a scanner is
 * required").
 */
export const wasScanned = ({ scan_coverage: coverage }: Pick<FileRow, "scan_coverage">): boolean =>
  coverage === "whole" || coverage === "windowed";

/** Returns whether a share has a download limit. */
export const isLimited = (share: Pick<ShareRow, "max_downloads">): boolean => share.max_downloads !== null;
