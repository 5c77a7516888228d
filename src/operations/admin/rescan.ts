import { setTimeout as pause } from "node:timers/promises";
import type { Ctx, TxCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { HOUR_MS } from "../../domain/ttl.ts";
import { AppError } from "../../errors.ts";
import { enqueueScan } from "../files/enqueue-scan.ts";
import { moveBytes } from "../files/move-bytes.ts";

export interface RescanReport {
  /** Files that wait for a new check by the server. */
  readonly queued: readonly RescannedFile[];
  /** Files that are left as they are, and why. */
  readonly skipped: readonly (RescannedFile & { readonly reason: string })[];
}

export interface RescannedFile {
  readonly id: string;
  readonly shortId: string;
  readonly name: string;
}

const PAGE = 200;
/** How long a server may take to put a file into quarantine while this waits. */
const BUSY_MS = 10_000;
const BUSY_POLL_MS = 50;
/** Far longer than a store takes to move the bytes. */
const PUT_BACK_MS = HOUR_MS;

/**
 * Has the file of an id, or the files of a share, checked again: until the verdict nobody can download them. One that was found infected
 * comes back from quarantine for that, still blocked. Throws NOT_FOUND.
 */
export async function rescan(ctx: Ctx, named: string): Promise<RescanReport> {
  const files = await ctx.db
    .selectFrom("files")
    .selectAll()
    .where((where) => where.or([where("id", "=", named), where("short_id", "=", named)]))
    .orderBy("id")
    .execute();
  if (files.length === 0) throw new AppError("NOT_FOUND", `There is no file or share ${named}.`);
  const report: Mutable<RescanReport> = { queued: [], skipped: [] };
  for (const file of files) await rescanFile(ctx, file, report);
  return report;
}

/** Has every file whose check could not finish checked again. */
export async function rescanFailed(ctx: Ctx): Promise<RescanReport> {
  const report: Mutable<RescanReport> = { queued: [], skipped: [] };
  for (let after = ""; ; ) {
    const files = await ctx.db
      .selectFrom("files")
      .selectAll()
      .where("scan_status", "=", "unavailable")
      .where("scan_reason", "=", "scan_failed")
      .where("status", "=", "active")
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute();
    for (const file of files) await rescanFile(ctx, file, report);
    const last = files.at(-1);
    if (!last) return report;
    after = last.id;
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer I)[] ? I[] : T[K] };

async function rescanFile(ctx: Ctx, file: FileRow, report: Mutable<RescanReport>): Promise<void> {
  const named = { id: file.id, shortId: file.short_id, name: file.name };
  const skip = (reason: string) => void report.skipped.push({ ...named, reason });
  const refusal = refuse(ctx, file);
  if (refusal !== undefined) return skip(refusal);
  const isInfected = file.scan_reason === "infected";
  const held = isInfected ? await bringBack(ctx, file) : undefined;
  if (held === "busy") return skip("it is being put into quarantine at this moment; try again when it is there");
  const isQueued = held !== "gone" && (await ctx.tx((ctx) => queue(ctx, file, held)));
  if (isQueued) report.queued.push(named);
  else skip("it has gone in the meantime");
}

/** Has the file wait for its check; false where it has gone, or has been found infected meanwhile, or another has taken the job `held`. */
async function queue(ctx: TxCtx, file: FileRow, held: HeldJob | undefined): Promise<boolean> {
  if (held && !(await dropHeld(ctx, held))) return false;
  const result = await ctx.db
    .updateTable("files")
    .set({ scan_status: "pending", scan_reason: null, failure: null, scan_detail: null, scan_coverage: null, scanned_at: null })
    .where("id", "=", file.id)
    .where("status", "=", "active")
    .where("blob_state", "=", "stored")
    .where((where) =>
      held ? where("scan_reason", "=", "infected") : where.or([where("scan_reason", "is", null), where("scan_reason", "=", "scan_failed")]),
    )
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) return false;
  await replaceJob(ctx, file);
  return true;
}

function refuse(ctx: Ctx, file: FileRow): string | undefined {
  if (file.status !== "active" || file.blob_state === "gone" || file.blob_state === "removing") return "it has expired or was removed";
  if (file.blob_state === "uploading") return "it is still being uploaded";
  if (file.scan_status === "pending" || file.scan_status === "scanning") return "it waits for its check already";
  if (file.scan_reason === "infected" && ctx.scanner.mode !== "clamd")
    return "malware was found in it, and there is no scanner that could say otherwise";
  return undefined;
}

interface HeldJob {
  readonly jobId: string;
}

type Held = HeldJob | "busy" | "gone";

/**
 * Gets the bytes of an infected file out of quarantine, and resolves to the job that would put them back: whoever dies in between leaves
 * nothing undecided. A file that is stored and infected is on its way, and moved by whoever has its job; `busy` where that is a server.
 */
async function bringBack(ctx: Ctx, file: FileRow): Promise<Held> {
  const deadlineMs = performance.now() + BUSY_MS;
  let held = await ctx.tx((ctx) => hold(ctx, file));
  while (held === "busy" && performance.now() < deadlineMs) {
    await pause(BUSY_POLL_MS);
    held = await ctx.tx((ctx) => hold(ctx, file));
  }
  if (held === "busy" || held === "gone") return held;
  await moveBytes(ctx.blobs, file.blob_key, "visible");
  return held;
}

async function hold(ctx: TxCtx, file: FileRow): Promise<Held> {
  const nowMs = ctx.now();
  await ctx.db
    .deleteFrom("jobs")
    .where("kind", "=", "scan")
    .where("subject", "=", file.id)
    .where((where) => where.or([where("lease_holder", "is", null), where("lease_until", "<=", nowMs)]))
    .execute();
  const running = await ctx.db.selectFrom("jobs").select("id").where("kind", "=", "scan").where("subject", "=", file.id).executeTakeFirst();
  if (running) return "busy";
  const result = await ctx.db
    .updateTable("files")
    .set({ blob_state: "stored", purge_at: null })
    .where("id", "=", file.id)
    .where("status", "=", "active")
    .where("scan_reason", "=", "infected")
    .where("blob_state", "in", ["stored", "quarantined"])
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) return "gone";
  return { jobId: await enqueueScan(ctx, file, nowMs + PUT_BACK_MS) };
}

async function dropHeld(ctx: TxCtx, { jobId }: HeldJob): Promise<boolean> {
  const result = await ctx.db.deleteFrom("jobs").where("id", "=", jobId).where("lease_holder", "is", null).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** A job of its own: one that is running now must not end this one with it. */
async function replaceJob(ctx: TxCtx, file: FileRow): Promise<void> {
  await ctx.db.deleteFrom("jobs").where("kind", "=", "scan").where("subject", "=", file.id).execute();
  await enqueueScan(ctx, file);
}
