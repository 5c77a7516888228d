import { type RawBuilder, sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow, WithdrawalRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { deleteJob } from "../../jobs/queue.ts";
import { type AuditOrigin, recordAudits } from "../audit-log/record-audit.ts";
import { MAY_BE_BLOCKED } from "./blocked-digests.ts";
import { closeSharesIfEmpty, lastGrantExpiry, markDeleted, REMOVE_NOW } from "./end-file.ts";
import { enqueueScan, SCAN_JOB } from "./enqueue-scan.ts";
import { transition } from "./file-state.ts";
import { endUsedUp } from "./limit-downloads.ts";
import { fileIdOf, onePlaceEach } from "./places.ts";

export type RestoredFile = Pick<FileRow, "id" | "short_id" | "name" | "status">;

export interface RestoredPlaces {
  readonly files: readonly RestoredFile[];
  /** The shares that are open again. */
  readonly shares: readonly Pick<ShareRow, "short_id" | "owner_id">[];
}

/**
 * Returns the condition of places that the end of all their takedowns restores: they have bytes, their owner has not deleted them meanwhile, their
 * shares had not expired when they were taken down, and places that had been used up have a download that is not complete and bytes that are not on the
 * blocklist, because no scan follows for them.
 */
export const hasSomethingLeft = (nowMs: number): RawBuilder<boolean> => sql<boolean>`
  files.status = 'dmca_removed' AND files.blob_state IN ('stored', 'quarantined')
  AND shares.status IN ('active', 'dmca_removed') AND (shares.expires_at IS NULL OR shares.expires_at > coalesce(shares.ended_at, ${nowMs}))
  AND files.status_before_takedown IS NOT 'deleted'
  AND (files.status_before_takedown IS NOT 'expired' OR NOT ${MAY_BE_BLOCKED}
    AND EXISTS (SELECT 1 FROM download_grants WHERE download_grants.file_id = files.id AND download_grants.expires_at > ${nowMs}))`;

/** The condition of places that no takedown blocks, neither of the file nor of the share. */
const IS_RELEASED = sql<boolean>`
  NOT EXISTS (SELECT 1 FROM withdrawn_files AS held JOIN withdrawals ON withdrawals.id = held.withdrawal_id
    WHERE held.file_id = coalesce(files.origin_id, files.id) AND withdrawals.undone_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM withdrawals WHERE withdrawals.short_id = files.short_id AND withdrawals.undone_at IS NULL)`;

const isRestorable = (nowMs: number): RawBuilder<boolean> => sql<boolean>`${hasSomethingLeft(nowMs)} AND ${IS_RELEASED}`;

/**
 * Restores the places of a share whose takedown is undone, or of files whose takedown is undone. A file may have been taken out of the takedown of the
 * share before, for its places in other shares.
 */
export async function restoreOwnPlaces(ctx: TransactionCtx, undone: WithdrawalRow, shortId: string): Promise<RestoredPlaces> {
  const { rows } = await sql<{ readonly id: string }>`SELECT files.id FROM files JOIN shares ON shares.short_id = files.short_id
    WHERE files.short_id = ${shortId}
      AND (${undone.short_id} = files.short_id
        OR coalesce(files.origin_id, files.id) IN (SELECT file_id FROM withdrawn_files WHERE withdrawal_id = ${undone.id}))
      AND ${isRestorable(ctx.now())}`.execute(ctx.db);
  return await restoreRows(
    ctx,
    rows.map(({ id }) => id),
  );
}

/** Restores at most `limit` places of files whose takedown is undone, in any share. */
export async function restoreBatch(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  undone: WithdrawalRow,
  limit: number,
): Promise<RestoredPlaces> {
  const { rows } = await sql<{ readonly id: string }>`SELECT files.id FROM withdrawn_files
      CROSS JOIN files ON files.origin_id = withdrawn_files.file_id CROSS JOIN shares ON shares.short_id = files.short_id
    WHERE withdrawn_files.withdrawal_id = ${undone.id} AND ${isRestorable(ctx.now())} LIMIT ${limit}`.execute(ctx.db);
  const restored = await restoreRows(
    ctx,
    rows.map(({ id }) => id),
  );
  const details = { takedown: undone.id };
  const toEntry = ({ short_id, owner_id }: RestoredPlaces["shares"][number]) =>
    ({ action: "share.restored", subject: short_id, account: owner_id, details }) as const;
  await recordAudits(ctx, origin, restored.shares.map(toEntry));
  return restored;
}

/** Counts the places of files whose takedown is undone that can be restored. */
export async function countRestorable(ctx: TransactionCtx, undone: WithdrawalRow): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`SELECT count(*) AS count FROM withdrawn_files
      CROSS JOIN files ON files.origin_id = withdrawn_files.file_id CROSS JOIN shares ON shares.short_id = files.short_id
    WHERE withdrawn_files.withdrawal_id = ${undone.id} AND ${isRestorable(ctx.now())}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

/**
 * Ends places of files whose takedown is undone that no takedown blocks and nothing can restore, such as those of a share that was deleted meanwhile:
 * their bytes are removed, and their storage is released, as if they had never been taken down. At most `limit`; resolves to their number. The places
 * of an open share that seems to have expired stay, because the cleanup ends it only by a clock that is trusted.
 */
export async function endLostPlaces(ctx: TransactionCtx, undone: Pick<WithdrawalRow, "id">, limit: number): Promise<number> {
  const nowMs = ctx.now();
  const { rows } = await sql<Pick<FileRow, "id" | "short_id"> & { readonly is_deleted: number }>`SELECT files.id, files.short_id,
      shares.status = 'deleted' OR files.status_before_takedown IS 'deleted' AS is_deleted
    FROM withdrawn_files CROSS JOIN files ON files.id = withdrawn_files.file_id OR files.origin_id = withdrawn_files.file_id
      CROSS JOIN shares ON shares.short_id = files.short_id
    WHERE withdrawn_files.withdrawal_id = ${undone.id} AND files.status = 'dmca_removed' AND files.blob_state IN ('stored', 'quarantined')
      AND (shares.status <> 'active' OR files.status_before_takedown IN ('deleted', 'expired'))
      AND (${hasSomethingLeft(nowMs)}) IS NOT TRUE AND ${IS_RELEASED} LIMIT ${limit}`.execute(ctx.db);
  if (rows.length === 0) return 0;
  const deletedIds = rows.filter(({ is_deleted }) => is_deleted === 1).map(({ id }) => id);
  const change = transition("undoTakedownOfExpired");
  await ctx.db
    .updateTable("files")
    .set({
      ...change.set,
      status_before_takedown: null,
      // Only what a person has deleted is removed whatever the clock says.
      remove_at: restoredRemoval(sql`iif(id IN ${inJson(deletedIds)}, ${REMOVE_NOW}, ${nowMs})`),
    })
    .where("id", "in", inJson(rows.map(({ id }) => id)))
    .where(change.where)
    .execute();
  await markDeleted(ctx, deletedIds);
  await expireLostShares(ctx, [...new Set(rows.map(({ short_id }) => short_id))]);
  return rows.length;
}

/** Expires shares that a takedown has closed, if no file of them can come back and no takedown of the share is in force. */
async function expireLostShares({ db }: TransactionCtx, shortIds: readonly string[]): Promise<void> {
  await sql`UPDATE shares SET status = 'expired', takedown_id = NULL
    WHERE status = 'dmca_removed' AND (short_id IN ${inJson(shortIds)} OR redirect_to IN ${inJson(shortIds)})
      AND NOT EXISTS (SELECT 1 FROM files WHERE files.short_id = coalesce(shares.redirect_to, shares.short_id) AND files.status IN ('active', 'dmca_removed'))
      AND NOT EXISTS (SELECT 1 FROM withdrawals WHERE withdrawals.short_id = coalesce(shares.redirect_to, shares.short_id)
        AND withdrawals.undone_at IS NULL)`.execute(db);
}

const RESTORED = [
  "id",
  "short_id",
  "owner_id",
  "quota_owner",
  "name",
  "status",
  "size_bytes",
  "sha256",
  "blob_key",
  "origin_id",
  "scan_status",
  "scan_reason",
  "scanned_at",
] as const;

interface RestoredRow extends Pick<FileRow, (typeof RESTORED)[number]> {
  readonly may_be_blocked: number;
}

/** Restores places that `isRestorable` has found, and opens their shares with as much time as they had left. */
async function restoreRows(ctx: TransactionCtx, ids: readonly string[]): Promise<RestoredPlaces> {
  if (ids.length === 0) return { files: [], shares: [] };
  const nowMs = ctx.now();
  const [toActive, toExpired] = [transition("undoTakedown"), transition("undoTakedownOfExpired")];
  const ended = await ctx.db
    .updateTable("files")
    .set({ ...toExpired.set, status_before_takedown: null, ended_at: nowMs, remove_at: restoredRemoval(lastGrantExpiry(nowMs)) })
    .where("id", "in", inJson(ids))
    .where("status_before_takedown", "=", "expired")
    .where(toExpired.where)
    .returning(RESTORED)
    .execute();
  const active = await ctx.db
    .updateTable("files")
    .set({ ...toActive.set, status_before_takedown: null, ended_at: null, remove_at: restoredRemoval(sql`NULL`) })
    .where("id", "in", inJson(ids))
    .where(toActive.where)
    .returning([...RESTORED, MAY_BE_BLOCKED.as("may_be_blocked")])
    .execute();
  const shortIds = [...new Set([...active, ...ended].map(({ short_id }) => short_id))];
  const opened = await openShares(ctx, shortIds);
  await closeSharesIfEmpty(
    ctx,
    opened.map(({ short_id }) => short_id),
    "expired",
  );
  await scanUnsafe(ctx, await joinScans(ctx, active));
  // The limit may have been lowered meanwhile, in a share that stayed open.
  await endUsedUp(
    ctx,
    active.map(({ id }) => id),
  );
  const reopened = new Set(active.map(({ short_id }) => short_id));
  const shares = opened.filter(({ short_id }) => reopened.has(short_id));
  return { files: [...active, ...ended], shares };
}

/** Infected bytes stay in quarantine and are removed when the quarantine ends. */
const restoredRemoval = (removeAt: RawBuilder<unknown>): RawBuilder<number | null> =>
  sql<number | null>`CASE blob_state WHEN 'quarantined' THEN remove_at ELSE ${removeAt} END`;

/** Opens the shares that a takedown has closed, with the links that redirect to them. Resolves to the shares. */
async function openShares(ctx: TransactionCtx, shortIds: readonly string[]): Promise<readonly Pick<ShareRow, "short_id" | "owner_id">[]> {
  const nowMs = ctx.now();
  const opened = await ctx.db
    .updateTable("shares")
    .set({
      status: "active",
      expires_at: sql`expires_at + ${nowMs} - coalesce(ended_at, ${nowMs})`,
      ended_at: null,
      takedown_id: null,
    })
    .where((where) => where.or([where("short_id", "in", inJson(shortIds)), where("redirect_to", "in", inJson(shortIds))]))
    .where("status", "=", "dmca_removed")
    .returning(["short_id", "owner_id", "redirect_to"])
    .execute();
  return opened.filter(({ redirect_to }) => redirect_to === null);
}

/**
 * Lets restored places wait for a scan of their bytes that other places wait for, such as a repeated one. Its verdict applies to all of them. Resolves
 * to the places whose bytes are not being scanned.
 */
async function joinScans(ctx: TransactionCtx, places: readonly RestoredRow[]): Promise<readonly RestoredRow[]> {
  const ids = inJson(places.map(({ id }) => id));
  // Jobs are read first, because a file without one may have very many places.
  const { rows } = await sql<{ readonly blob_key: string }>`SELECT DISTINCT waiting.blob_key
    FROM jobs CROSS JOIN files AS waiting ON waiting.origin_id = jobs.subject
    WHERE jobs.kind = ${SCAN_JOB} AND jobs.subject IN ${inJson(onePlaceEach(places).map(fileIdOf))}
      AND waiting.status = 'active' AND waiting.scan_status IN ('pending', 'scanning') AND waiting.id NOT IN ${ids}`.execute(ctx.db);
  const scanned = new Set(rows.map(({ blob_key }) => blob_key));
  if (scanned.size === 0) return places;
  const change = transition("rescan");
  await ctx.db
    .updateTable("files")
    .set(change.set)
    .where("id", "in", ids)
    .where("blob_key", "in", inJson([...scanned]))
    .where(change.where)
    .execute();
  return places.filter(({ blob_key }) => !scanned.has(blob_key));
}

/** Enqueues the scans that the takedown cancelled, and scans of files whose digest was added to the blocklist. */
async function scanUnsafe(ctx: TransactionCtx, places: readonly RestoredRow[]): Promise<void> {
  for (const file of onePlaceEach(places)) {
    const { scan_status, scan_reason, scanned_at, sha256, may_be_blocked } = file;
    const isUnsafe = scan_status === "clean" ? may_be_blocked === 1 : scan_status !== "unavailable";
    // A file that waited for its scan when the share was taken down stays blocked until the scan.
    const awaitsScanner = scan_status === "unavailable" && scanned_at === null && scan_reason === "scan_failed";
    if (!isUnsafe && !awaitsScanner && sha256 !== null) continue;
    if (isUnsafe) {
      const change = transition("rescan");
      await ctx.db.updateTable("files").set(change.set).where("blob_key", "=", file.blob_key).where(change.where).execute();
    }
    // Deletes the old job, so that a run of it does not finish the new one.
    await deleteJob(ctx.db, { kind: SCAN_JOB, subject: fileIdOf(file) });
    await enqueueScan(ctx, file);
  }
}
