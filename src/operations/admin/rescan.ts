import type { Ctx, TxCtx } from "../../context.ts";
import { enqueueJob } from "../../db/jobs.ts";
import type { FileRow } from "../../db/schema.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { MINUTE_MS } from "../../domain/ttl.ts";
import { AppError } from "../../errors.ts";

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
  const refusal = refuse(ctx, file);
  if (refusal !== undefined) {
    report.skipped.push({ ...named, reason: refusal });
    return;
  }
  if (file.blob_state === "quarantined") await bringBack(ctx, file);
  const isQueued = await ctx.tx(async (ctx) => {
    const result = await ctx.db
      .updateTable("files")
      .set({ scan_status: "pending", scan_reason: null, scan_detail: null, scan_coverage: null, scanned_at: null })
      .where("id", "=", file.id)
      .where("status", "=", "active")
      .where("blob_state", "=", "stored")
      .executeTakeFirst();
    if (result.numUpdatedRows !== 1n) return false;
    await replaceJob(ctx, file.id, ctx.now());
    return true;
  });
  if (isQueued) report.queued.push(named);
  else report.skipped.push({ ...named, reason: "it has gone in the meantime" });
}

function refuse(ctx: Ctx, file: FileRow): string | undefined {
  if (file.status !== "active" || file.blob_state === "gone" || file.blob_state === "removing") return "it has expired or was removed";
  if (file.blob_state === "uploading") return "it is still being uploaded";
  if (file.scan_status === "pending" || file.scan_status === "scanning") return "it waits for its check already";
  if (file.scan_reason === "infected" && ctx.scanner.mode !== "clamd")
    return "malware was found in it, and there is no scanner that could say otherwise";
  return undefined;
}

/**
 * Out of quarantine. The row says so first, still infected, with a job that would put the bytes back into quarantine: whoever dies in
 * between leaves nothing undecided.
 */
async function bringBack(ctx: Ctx, file: FileRow): Promise<void> {
  await ctx.tx(async (ctx) => {
    await ctx.db
      .updateTable("files")
      .set({ blob_state: "stored", purge_at: null })
      .where("id", "=", file.id)
      .where("blob_state", "=", "quarantined")
      .execute();
    await replaceJob(ctx, file.id, ctx.now() + MINUTE_MS);
  });
  await ctx.blobs.restore(file.blob_key);
}

/** A job of its own: one that is running now must not end this one with it. */
async function replaceJob(ctx: TxCtx, fileId: string, runAtMs: number): Promise<void> {
  const nowMs = ctx.now();
  await ctx.db.deleteFrom("jobs").where("kind", "=", "scan").where("subject", "=", fileId).execute();
  await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: "scan", subject: fileId, runAtMs, nowMs });
}
