import type { TxCtx } from "../../context.ts";
import { insertEvent } from "../../db/events.ts";
import type { FileRow } from "../../db/schema.ts";
import { newUuid } from "../../domain/alphabet.ts";

/** What is known of a file that ends. */
export type EndableFile = Pick<FileRow, "id" | "short_id" | "owner_id" | "name" | "size_bytes" | "content_type">;

export interface FileEnd {
  readonly status: "expired" | "deleted" | "dmca_removed";
  /** From when the bytes may go. */
  readonly purgeAtMs: number;
}

/**
 * Ends an active file, and its share where that has no other active file, within the caller's transaction; expiry emits `file.expired`.
 * False where the file had ended already in a way that this one does not change.
 */
export async function endFile(ctx: TxCtx, file: EndableFile, end: FileEnd): Promise<boolean> {
  if (!(await endFileAlone(ctx, file, end))) return false;
  await endShareWithFiles(ctx, file.short_id, end.status);
  return true;
}

/** Ends a share that has no active file any more. */
export async function endShareWithFiles(ctx: TxCtx, shortId: string, status: FileEnd["status"]): Promise<void> {
  const other = await ctx.db
    .selectFrom("files")
    .select("id")
    .where("short_id", "=", shortId)
    .where("status", "=", "active")
    .limit(1)
    .executeTakeFirst();
  if (!other) await ctx.db.updateTable("shares").set({ status }).where("short_id", "=", shortId).execute();
}

/**
 * Ends a file and leaves its share to the caller, who ends many: looking for another active one after each would take the square of their
 * number, and a shipment may have 10,000.
 */
export async function endFileAlone(ctx: TxCtx, file: EndableFile, end: FileEnd): Promise<boolean> {
  const nowMs = ctx.now();
  const result = await ctx.db
    .updateTable("files")
    .set({ status: end.status, ended_at: nowMs, purge_at: end.purgeAtMs, ...(end.status === "deleted" && { name: "", download_count: 0 }) })
    .where("id", "=", file.id)
    .where("status", "in", end.status === "expired" ? ["active"] : ["active", "expired"])
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) return false;
  await ctx.db.deleteFrom("jobs").where("kind", "=", "scan").where("subject", "=", file.id).where("lease_holder", "is", null).execute();
  if (end.status === "deleted")
    await ctx.db.deleteFrom("events").where("file_id", "=", file.id).where("dispatched_at", "is not", null).execute();
  if (end.status === "expired")
    await insertEvent(ctx.db, { id: newUuid(ctx.random, nowMs), type: "file.expired", file, reason: "expired", nowMs });
  return true;
}
