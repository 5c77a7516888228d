import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError } from "../../errors.ts";
import { deleteJob } from "../../jobs/queue.ts";
import { mayBeBlocked } from "./blocked-digests.ts";
import { enqueueScan, SCAN_JOB } from "./enqueue-scan.ts";
import { TRANSITIONS, transition } from "./file-state.ts";
import { limitDownloads } from "./limit-downloads.ts";
import { fileIdOf } from "./places.ts";

/**
 * Restores a share after its takedown, and places in other shares (expiry, "Takedown"). With `fileId`, restores only that file, also in an active
 * share. Throws CONFLICT if nothing can be restored. Call `ctx.wakeJobs()` afterwards.
 */
export async function restoreShare(
  ctx: TransactionCtx,
  share: ShareRow,
  { fileId }: { readonly fileId?: string } = {},
): Promise<RestoredFiles> {
  const others = await listTakenDownTogether(ctx, share.short_id, fileId);
  const files = await restorePlaces(ctx, share, fileId === undefined ? undefined : [fileId]);
  const restored: FileRow[] = [];
  for (const [shortId, places] of Map.groupBy(others, ({ short_id }) => short_id)) {
    const other = await ctx.db.selectFrom("shares").selectAll().where("short_id", "=", shortId).executeTakeFirstOrThrow();
    const hasEnded = other.status === "expired" || other.status === "deleted" || !wasOpen(ctx, other);
    const ids = places.map(({ id }) => id);
    if (!hasEnded) restored.push(...(await restorePlaces(ctx, other, ids)));
  }
  return { files, others: restored };
}

interface RestoredFiles {
  readonly files: readonly FileRow[];
  /** The places in other shares. */
  readonly others: readonly FileRow[];
}

/** Lists the places in other shares that were taken down together with files of a share, and that still have bytes. */
async function listTakenDownTogether(
  { db }: TransactionCtx,
  shortId: string,
  fileId: string | undefined,
): Promise<readonly Pick<FileRow, "id" | "short_id">[]> {
  return await db
    .selectFrom("files as own")
    .innerJoin("files", (join) => join.onRef("files.origin_id", "=", "own.origin_id").onRef("files.ended_at", "=", "own.ended_at"))
    .select(["files.id", "files.short_id"])
    .where("own.short_id", "=", shortId)
    .$if(fileId !== undefined, (query) => query.where("own.id", "=", fileId ?? ""))
    .where("own.status", "=", "dmca_removed")
    .where("files.status", "=", "dmca_removed")
    .where("files.short_id", "<>", shortId)
    .where("files.blob_state", "in", TRANSITIONS.undoTakedown.from.blob_state)
    .execute();
}

/** Returns whether a share had not expired when it was taken down, or has not expired now. */
const wasOpen = (ctx: Pick<TransactionCtx, "now">, { expires_at, ended_at }: ShareRow): boolean =>
  expires_at === null || expires_at > (ended_at ?? ctx.now());

async function restorePlaces(ctx: TransactionCtx, share: ShareRow, ids: readonly string[] | undefined): Promise<readonly FileRow[]> {
  const nowMs = ctx.now();
  const { short_id, expires_at, ended_at, max_downloads } = share;
  const takenDownMs = ended_at ?? nowMs;
  if (!wasOpen(ctx, share))
    throw new AppError("CONFLICT", "The share had expired before it was taken down. Ask the sender to upload it again.");
  const change = transition("undoTakedown");
  const files = await ctx.db
    .updateTable("files")
    // Infected bytes stay in quarantine and are removed when the quarantine ends.
    .set({ ...change.set, ended_at: null, remove_at: sql`CASE blob_state WHEN 'quarantined' THEN remove_at END` })
    .where("short_id", "=", short_id)
    .$if(ids !== undefined, (query) => query.where("id", "in", inJson(ids ?? [])))
    .where(change.where)
    .returningAll()
    .execute();
  if (files.length === 0) throw new AppError("CONFLICT", "The bytes of its files have been removed. Ask the sender to upload them again.");
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
    const { scan_status, scan_reason, scanned_at, sha256 } = file;
    const isUnsafe = scan_status === "clean" ? (sha256 === null ? hasBlocks : isBlocked.has(sha256)) : scan_status !== "unavailable";
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
