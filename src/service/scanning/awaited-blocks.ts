import { createHash } from "node:crypto";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { AwaitedBlockTable } from "../../db/tables/moderation.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { createChunkMemory } from "../../lib/system/chunk-memory.ts";
import { type AuditOrigin, toAuthor } from "../audit-log/record-audit.ts";
import { insertBlocks } from "./blocklist.ts";

/** The kind of the jobs that compute the digest of a file for the blocklist. */
const AWAITED_BLOCK_JOB = "awaited-block";

/**
 * Adds the digests of files to the blocklist as soon as they are known. Durable jobs compute unknown digests from the bytes, which must remain for
 * some hours. Call `ctx.wakeJobs()` afterwards.
 */
export async function awaitBlocks(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { files, reason }: { readonly files: readonly Pick<FileRow, "id">[]; readonly reason: string | undefined },
): Promise<void> {
  const nowMs = ctx.now();
  for (const { id } of files) {
    const row = { file_id: id, reason: reason || null, added_by: toAuthor(origin) };
    await ctx.db
      .insertInto("awaited_blocks")
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: AWAITED_BLOCK_JOB, subject: id, runAtMs: nowMs, nowMs });
  }
}

/** The job that computes the digest of a file and adds it to the blocklist. */
export const awaitedBlockJob: JobKind<Ctx> = {
  name: AWAITED_BLOCK_JOB,
  slots: () => ({ total: 1 }),
  async run(ctx, { subject }, signal) {
    const file = await ctx.db
      .selectFrom("files")
      .innerJoin("awaited_blocks", "awaited_blocks.file_id", "files.id")
      // Another place may still have the bytes when those of this one are removed.
      .innerJoin("files as places", "places.blob_key", "files.blob_key")
      .select(["files.id", "files.blob_key", "places.blob_state", "files.sha256", "file_id", "reason", "added_by"])
      .where("files.id", "=", subject)
      .orderBy((order) => order("places.blob_state", "=", "stored"), "desc")
      .limit(1)
      .executeTakeFirst();
    if (!file) return DONE;
    if (file.sha256 === null && file.blob_state !== "stored") {
      ctx.log.warn({ fileId: file.id }, "bytes are removed; the digest cannot be put on the blocklist");
      await ctx.db.deleteFrom("awaited_blocks").where("file_id", "=", subject).execute();
      return DONE;
    }
    const sha256 = file.sha256 ?? (await computeDigest(ctx, file, signal));
    await ctx.transaction((ctx) => insertAwaited(ctx, file, sha256));
    ctx.wakeJobs();
    return DONE;
  },
};

async function computeDigest({ blobs }: Ctx, { blob_key }: Pick<FileRow, "blob_key">, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of blobs.read(blob_key, { memory: createChunkMemory() })) {
    signal.throwIfAborted();
    hash.update(chunk);
  }
  return hash.digest("hex");
}

async function insertAwaited(ctx: TransactionCtx, { file_id, reason, added_by }: AwaitedBlockTable, sha256: string): Promise<void> {
  await ctx.db
    .updateTable("files")
    .set({ sha256 })
    .where("blob_key", "=", (query) => query.selectFrom("files as named").select("named.blob_key").where("named.id", "=", file_id))
    .execute();
  await insertBlocks(ctx, "system", { digests: [sha256], reason: reason ?? undefined, addedBy: added_by, ofFile: file_id });
  await ctx.db.deleteFrom("awaited_blocks").where("file_id", "=", file_id).execute();
}
