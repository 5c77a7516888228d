import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow, ShareRow } from "../../db/tables/files.ts";
import { AppError } from "../../errors.ts";
import { deleteJob } from "../../jobs/queue.ts";
import { mayBeBlocked } from "./blocked-digests.ts";
import { enqueueScan, SCAN_JOB } from "./enqueue-scan.ts";
import { transition } from "./file-state.ts";
import { limitDownloads } from "./limit-downloads.ts";

/**
 * Restores a share after its takedown, with its remaining lifetime and the files whose bytes are not removed; files that are unscanned or on the
 * blocklist wait for a scan. With `fileId`, restores only that file, also in an active share. Resolves to the files; throws CONFLICT if nothing can
 * be restored. Call `ctx.wakeJobs()` afterwards.
 */
export async function restoreShare(
  ctx: TransactionCtx,
  share: ShareRow,
  { fileId }: { readonly fileId?: string } = {},
): Promise<readonly FileRow[]> {
  const nowMs = ctx.now();
  const { short_id, expires_at, ended_at, max_downloads } = share;
  const takenDownMs = ended_at ?? nowMs;
  if (expires_at !== null && expires_at <= takenDownMs)
    throw new AppError("CONFLICT", "The share had expired before it was taken down. Ask the sender to upload it again.");
  const change = transition("bringBack");
  const files = await ctx.db
    .updateTable("files")
    // Infected bytes stay in quarantine and are removed when the quarantine ends.
    .set({ ...change.set, ended_at: null, remove_at: sql`CASE blob_state WHEN 'quarantined' THEN remove_at END` })
    .where("short_id", "=", short_id)
    .$if(fileId !== undefined, (query) => query.where("id", "=", fileId ?? ""))
    .where(change.where)
    .returningAll()
    .execute();
  if (files.length === 0) throw new AppError("CONFLICT", "The bytes of its files are removed. Ask the sender to upload them again.");
  await ctx.db
    .updateTable("shares")
    .set({ status: "active", ended_at: null, ...(expires_at !== null && { expires_at: expires_at + nowMs - takenDownMs }) })
    .where((where) => where.or([where("short_id", "=", short_id), where("redirect_to", "=", short_id)]))
    .where("status", "=", "dmca_removed")
    .execute();
  await scanUnsafe(ctx, files);
  if (max_downloads !== null) await limitDownloads(ctx, short_id, max_downloads);
  return files;
}

/** Enqueues the scans that the takedown cancelled, and scans of files whose digest was added to the blocklist. */
async function scanUnsafe(ctx: TransactionCtx, files: readonly FileRow[]): Promise<void> {
  const digests = files.flatMap(({ sha256 }) => sha256 ?? []);
  const blocked = await ctx.db.selectFrom("blocked_digests").select("sha256").where("sha256", "in", inJson(digests)).execute();
  const hasBlocks = await mayBeBlocked(ctx.db, null);
  const isBlocked = new Set(blocked.map(({ sha256 }) => sha256));
  for (const file of files) {
    const { id, scan_status, scan_reason, scanned_at, sha256 } = file;
    const isUnsafe = scan_status === "clean" ? (sha256 === null ? hasBlocks : isBlocked.has(sha256)) : scan_status !== "unavailable";
    // A file that waited for its scan when the share was taken down stays blocked until the scan.
    const awaitsScanner = scan_status === "unavailable" && scanned_at === null && scan_reason === "scan_failed";
    if (!isUnsafe && !awaitsScanner && sha256 !== null) continue;
    if (isUnsafe) {
      const change = transition("rescan");
      await ctx.db.updateTable("files").set(change.set).where("id", "=", id).where(change.where).execute();
    }
    // Deletes the old job, so that a run of it does not finish the new one.
    await deleteJob(ctx.db, { kind: SCAN_JOB, subject: id });
    await enqueueScan(ctx, file);
  }
}
