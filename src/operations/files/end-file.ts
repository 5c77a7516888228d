import { type RawBuilder, sql } from "kysely";
import type { TxCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { insertEvents } from "../../db/events.ts";
import { oneOf } from "../../db/many.ts";
import { endShare } from "../../db/shares.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { newUuid } from "../../domain/alphabet.ts";

/** What is known of a file that ends. */
export type EndableFile = Pick<FileRow, "id" | "short_id" | "owner_id" | "name" | "size_bytes" | "content_type">;

export interface FileEnd {
  readonly status: "expired" | "deleted" | "dmca_removed";
  /** From when the bytes may go; `delivered`: when the last address that was counted has lapsed. */
  readonly purgeAtMs: number | "delivered";
}

/**
 * Ends an active file, and its share where that has no other active file, within the caller's transaction; expiry emits `file.expired`.
 * False where the file had ended already in a way that this one does not change.
 */
export async function endFile(ctx: TxCtx, file: EndableFile, end: FileEnd): Promise<boolean> {
  if ((await endFilesAlone(ctx, [file], end)) === 0) return false;
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
  if (!other) await endShare(ctx.db, shortId, status);
}

/**
 * Ends files of any number, by a few statements, and leaves their shares to the caller: looking for another active file after each would
 * take the square of their number, and a shipment may have 10,000. Resolves to how many ended.
 */
export async function endFilesAlone(ctx: TxCtx, files: readonly EndableFile[], end: FileEnd): Promise<number> {
  const nowMs = ctx.now();
  const rows = await ctx.db
    .updateTable("files")
    .set({
      status: end.status,
      ended_at: nowMs,
      purge_at: end.purgeAtMs === "delivered" ? lastDeliveryEnds(nowMs) : end.purgeAtMs,
      ...(end.status === "deleted" && { name: "", download_count: 0 }),
    })
    .where("id", "in", oneOf(files.map(({ id }) => id)))
    .where("status", "in", end.status === "expired" ? ["active"] : ["active", "expired"])
    .returning("id")
    .execute();
  if (rows.length === 0) return 0;
  const ended = new Set(rows.map(({ id }) => id));
  await dropWaiting(ctx.db, [...ended], end);
  if (end.status === "expired") {
    const expired = files.filter(({ id }) => ended.has(id));
    const toEvent = (file: EndableFile) =>
      ({ id: newUuid(ctx.random, nowMs), type: "file.expired", file, reason: "expired", nowMs }) as const;
    await insertEvents(ctx.db, expired.map(toEvent));
  }
  return ended.size;
}

async function dropWaiting(db: Db, ids: readonly string[], { status }: FileEnd): Promise<void> {
  await db.deleteFrom("jobs").where("kind", "=", "scan").where("subject", "in", oneOf(ids)).where("lease_holder", "is", null).execute();
  if (status === "deleted")
    await db.deleteFrom("events").where("file_id", "in", oneOf(ids)).where("dispatched_at", "is not", null).execute();
}

const lastDeliveryEnds = (nowMs: number): RawBuilder<number> =>
  sql`coalesce((SELECT max(expires_at) FROM download_grants WHERE download_grants.file_id = files.id), ${nowMs})`;
