import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { AppError } from "../../errors.ts";
import { cancelJob, cancelUnlessRunning, deleteJob } from "../../jobs/queue.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { enqueueScan, SCAN_JOB } from "../files/enqueue-scan.ts";
import { transition } from "../files/file-state.ts";
import { fileIdOf, onePlaceEach } from "../files/places.ts";

export interface RescanReport {
  /** Files that wait for a new scan by the server. */
  readonly queued: readonly RescannedFile[];
  /** Files that are not scanned again, with the reason. */
  readonly skipped: readonly (RescannedFile & { readonly reason: string })[];
}

export interface RescannedFile {
  readonly id: string;
  readonly shortId: string;
  readonly name: string;
}

const PAGE_SIZE = 200;
/** Maximum wait while a server moves a file to quarantine. */
const BUSY_TIMEOUT_MS = 10_000;
const BUSY_POLL_MS = 50;
/** Delay of the job that returns bytes to quarantine, which is much longer than the store takes to move them. */
const RETURN_AFTER_MS = HOUR_MS;

/**
 * Scans one file, or the files of a share, again. They cannot be downloaded until the verdict; an infected file is restored from quarantine for the
 * scan and stays blocked. Throws NOT_FOUND.
 */
export async function rescan(ctx: Ctx, origin: AuditOrigin, id: string): Promise<RescanReport> {
  const files = await ctx.db
    .selectFrom("files")
    .selectAll()
    .where((where) => where.or([where("id", "=", id), where("short_id", "=", id)]))
    .orderBy("id")
    .execute();
  if (files.length === 0)
    throw new AppError("NOT_FOUND", `There is no file or share ${id}. Use a file's ID, or a share's short ID or link.`);
  const report: Mutable<RescanReport> = { queued: [], skipped: [] };
  for (const file of onePlaceEach(files)) await rescanFile(ctx, origin, await findOffered(ctx, file), report);
  return report;
}

/** Returns the place, or if it has ended, an active place with the same bytes. */
async function findOffered({ db }: Ctx, file: FileRow): Promise<FileRow> {
  if (file.status === "active" || file.origin_id === null) return file;
  const offered = await db
    .selectFrom("files")
    .selectAll()
    .where("origin_id", "=", file.origin_id)
    .where("status", "=", "active")
    .orderBy("placed_at")
    .limit(1)
    .executeTakeFirst();
  return offered ?? file;
}

/** Scans a stored file again whose bytes no longer have their digest. The scan compares the digests and blocks the file. */
export async function scanDamaged(ctx: Ctx, { id, sha256 }: Pick<FileRow, "id" | "sha256">): Promise<void> {
  await ctx.db
    .updateTable("files")
    .set({ expected_sha256: sha256 })
    .where("blob_key", "=", (query) => query.selectFrom("files as named").select("named.blob_key").where("named.id", "=", id))
    .where("sha256", "=", sha256)
    .execute();
  await rescan(ctx, "system", id);
}

/** Scans every file whose scan failed again. */
export async function rescanFailed(ctx: Ctx, origin: AuditOrigin): Promise<RescanReport> {
  const report: Mutable<RescanReport> = { queued: [], skipped: [] };
  const seen = new Set<string>();
  for (let after = ""; ; ) {
    const files = await ctx.db
      .selectFrom("files")
      .selectAll()
      .where("scan_status", "=", "unavailable")
      .where("scan_reason", "=", "scan_failed")
      .where("status", "=", "active")
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE_SIZE)
      .execute();
    for (const file of files) {
      if (seen.has(fileIdOf(file))) continue;
      seen.add(fileIdOf(file));
      await rescanFile(ctx, origin, file, report);
    }
    const last = files.at(-1);
    if (!last) return report;
    after = last.id;
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer I)[] ? I[] : T[K] };

async function rescanFile(ctx: Ctx, origin: AuditOrigin, file: FileRow, report: Mutable<RescanReport>): Promise<void> {
  const named = { id: file.id, shortId: file.short_id, name: file.name };
  const skip = (reason: string) => void report.skipped.push({ ...named, reason });
  const reason = findSkipReason(ctx, file);
  if (reason !== undefined) return skip(reason);
  const isInfected = file.scan_reason === "infected";
  const returnJob = isInfected ? await restoreBytes(ctx, file) : undefined;
  if (returnJob === "busy") return skip("it is being moved to quarantine; try again in a moment");
  const isQueued = returnJob !== "ended" && (await ctx.transaction((ctx) => queueScan(ctx, origin, file, returnJob)));
  if (isQueued) report.queued.push(named);
  else skip("it was deleted meanwhile");
}

function findSkipReason(ctx: Ctx, file: FileRow): string | undefined {
  if (file.status !== "active" || file.blob_state === "removed" || file.blob_state === "removing") return "it has expired or was deleted";
  if (file.blob_state === "uploading") return "it is still being uploaded";
  if (file.scan_status === "pending" || file.scan_status === "scanning") return "it is already waiting for its scan";
  if (file.scan_reason === "infected" && ctx.scanner.mode !== "clamd") return "malware was found, and there is no scanner to scan it again";
  return undefined;
}

/** The job that returns the bytes of an infected file to quarantine if the process stops before the scan is queued. */
interface ReturnJob {
  readonly id: string;
}

/** `busy`: a server has the file's scan job. `ended`: the file was deleted or is no longer infected. */
type ReturnJobResult = ReturnJob | "busy" | "ended";

/**
 * Restores the bytes of an infected file from quarantine, after enqueueing the job that returns them. Waits while a server has the file's
 * scan job, which may be moving the bytes.
 */
async function restoreBytes(ctx: Ctx, file: FileRow): Promise<ReturnJobResult> {
  const deadlineMs = performance.now() + BUSY_TIMEOUT_MS;
  let result = await ctx.transaction((ctx) => enqueueReturn(ctx, file));
  while (result === "busy" && performance.now() < deadlineMs) {
    await sleep(BUSY_POLL_MS);
    result = await ctx.transaction((ctx) => enqueueReturn(ctx, file));
  }
  if (result === "busy" || result === "ended") return result;
  await ctx.blobs.restore(file.blob_key);
  return result;
}

async function enqueueReturn(ctx: TransactionCtx, file: FileRow): Promise<ReturnJobResult> {
  const nowMs = ctx.now();
  if (!(await cancelUnlessRunning(ctx.db, { kind: SCAN_JOB, subject: fileIdOf(file), nowMs }))) return "busy";
  // Ended places with these bytes keep their time of removal.
  const released = await ctx.db
    .updateTable("files")
    .set({ ...transition("releaseFromQuarantine").set, remove_at: sql`CASE WHEN status <> 'active' THEN remove_at END` })
    .where("blob_key", "=", (query) =>
      query
        .selectFrom("files as offered")
        .select("offered.blob_key")
        .where("offered.blob_key", "=", file.blob_key)
        .where("offered.status", "=", "active")
        .where("offered.scan_reason", "=", "infected")
        .limit(1),
    )
    .where(transition("releaseFromQuarantine").where)
    .where("scan_reason", "=", "infected")
    .executeTakeFirst();
  if (released.numUpdatedRows === 0n) return "ended";
  return { id: await enqueueScan(ctx, file, nowMs + RETURN_AFTER_MS) };
}

/** Queues the scan. Resolves to false if the file was deleted or found infected meanwhile, or a server has leased the return job. */
async function queueScan(ctx: TransactionCtx, origin: AuditOrigin, file: FileRow, returnJob: ReturnJob | undefined): Promise<boolean> {
  if (returnJob && !(await cancelJob(ctx.db, returnJob.id))) return false;
  const result = await ctx.db
    .updateTable("files")
    .set({ ...transition("rescan").set, scan_reason: null, failure: null, scan_detail: null, scan_coverage: null, scanned_at: null })
    .where("blob_key", "=", file.blob_key)
    .where(transition("rescan").where)
    .where((where) =>
      returnJob
        ? where("scan_reason", "=", "infected")
        : where.or([where("scan_reason", "is", null), where("scan_reason", "=", "scan_failed")]),
    )
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  // Deletes the old job, so that a run of it does not finish the new one.
  await deleteJob(ctx.db, { kind: SCAN_JOB, subject: fileIdOf(file) });
  await enqueueScan(ctx, file);
  await recordAudit(ctx, origin, { action: "file.rescanned", subject: file.id, account: file.owner_id });
  return true;
}
