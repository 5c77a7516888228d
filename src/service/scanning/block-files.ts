import { type SqlBool, sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { insertEvents } from "../events/outbox.ts";
import { transition } from "../files/file-state.ts";
import { BLOCKLISTED } from "../shares/share-state.ts";

/** The kind of the jobs that block the files beyond the first transaction. */
const BLOCK_JOB = "block";

/** Number of files that one transaction blocks. */
const BATCH_SIZE = 200;

/**
 * Blocks the files with these digests: the first ones in this transaction, the others by durable jobs. Files that are being uploaded or scanned are
 * blocked when that has finished. Call `ctx.wakeJobs()` afterwards.
 */
export async function blockFiles(ctx: TransactionCtx, digests: readonly string[]): Promise<void> {
  if ((await blockBatch(ctx, digests)) < BATCH_SIZE) return;
  const nowMs = ctx.now();
  for (const sha256 of digests)
    await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: BLOCK_JOB, subject: sha256, runAtMs: nowMs, nowMs });
}

/** The job that blocks the files with a digest that was added to the blocklist. */
export const blockJob: JobKind<Ctx> = {
  name: BLOCK_JOB,
  slots: () => ({ total: 1 }),
  async run(ctx, job, signal) {
    for (let blocked = BATCH_SIZE; blocked === BATCH_SIZE; ) {
      signal.throwIfAborted();
      blocked = await ctx.transaction((ctx) => blockBatch(ctx, [job.subject]));
      ctx.wakeJobs();
    }
    return DONE;
  },
};

/** Lists a batch of files with these digests that may be sent, including files without remaining downloads, because their grants last longer. */
export async function listBlockable(db: Db, digests: readonly string[]): Promise<FileRow[]> {
  // Selects only digests that are still on the list, because they may have been removed meanwhile.
  return await db
    .selectFrom("files")
    .innerJoin("blocked_digests", "blocked_digests.sha256", "files.sha256")
    .selectAll("files")
    .where("files.sha256", "in", inJson(digests))
    // The value is a literal, because SQLite does not use the partial index for a parameter.
    .where(sql<SqlBool>`files.blob_state = 'stored'`)
    .where(transition("block").where)
    .limit(BATCH_SIZE)
    .execute();
}

async function blockBatch(ctx: TransactionCtx, digests: readonly string[]): Promise<number> {
  const files = await listBlockable(ctx.db, digests);
  if (files.length === 0) return 0;
  const nowMs = ctx.now();
  await ctx.db
    .updateTable("files")
    .set({ ...transition("block").set, scan_reason: "scan_failed", ...BLOCKLISTED })
    .where("id", "in", inJson(files.map(({ id }) => id)))
    .execute();
  const offered = files.filter(({ status }) => status === "active");
  await insertEvents(
    ctx.db,
    offered.map((file) => ({ id: newUuid(ctx.random, nowMs), type: "file.failed", file, reason: "scan_failed", nowMs })),
  );
  ctx.log.warn({ digests: new Set(files.map(({ sha256 }) => sha256)).size, files: files.length }, "files blocked by the blocklist");
  return files.length;
}
