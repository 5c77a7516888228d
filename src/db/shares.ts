import type { NotNull } from "kysely";
import type { Db } from "./database.ts";
import type { FileRow, ShareRow } from "./tables/files.ts";

export async function findShare(db: Db, shortId: string): Promise<ShareRow | undefined> {
  return await db.selectFrom("shares").selectAll().where("short_id", "=", shortId).executeTakeFirst();
}

/** The share that a link leads to: its own, or the shipment that its file has joined. */
export async function findShareBehind(db: Db, shortId: string): Promise<ShareRow | undefined> {
  const share = await findShare(db, shortId);
  return share?.redirect_to ? await findShare(db, share.redirect_to) : share;
}

/** The share whose delivery link has a token of that hash. */
export async function findShareByHandoff(db: Db, handoffHash: string): Promise<ShareRow | undefined> {
  return await db.selectFrom("shares").selectAll().where("handoff_hash", "=", handoffHash).executeTakeFirst();
}

/** A share's files, oldest first. */
export async function listShareFiles(db: Db, shortId: string): Promise<FileRow[]> {
  return await db.selectFrom("files").selectAll().where("short_id", "=", shortId).orderBy("created_at").orderBy("id").execute();
}

/** A file and the share that it belongs to. */
export async function findFileWithShare(db: Db, fileId: string): Promise<{ file: FileRow; share: ShareRow } | undefined> {
  const file = await db.selectFrom("files").selectAll().where("id", "=", fileId).executeTakeFirst();
  if (!file) return undefined;
  const share = await findShare(db, file.short_id);
  return share && { file, share };
}

/** Shares whose time has come, at most `limit`. */
export async function listExpiredShares(db: Db, nowMs: number, limit: number): Promise<ShareRow[]> {
  return await db
    .selectFrom("shares")
    .selectAll()
    .where("status", "=", "active")
    .where("expires_at", "<=", nowMs)
    .orderBy("expires_at")
    .limit(limit)
    .execute();
}

/** Shares that have no end although the Pro of their owner has ended, and when that was; at most `limit`, none that is under way. */
export async function listLapsedShares(
  db: Db,
  nowMs: number,
  limit: number,
): Promise<{ readonly short_id: string; readonly pro_until: number }[]> {
  return await db
    .selectFrom("users")
    // In this order: by the indexes on the owners whose Pro has a time to end, and on what such an owner keeps.
    .crossJoin("shares")
    .innerJoin("files", "files.short_id", "shares.short_id")
    .select(["shares.short_id", "users.pro_until"])
    .distinct()
    .where("users.pro_until", "<=", nowMs)
    .whereRef("shares.owner_id", "=", "users.id")
    .where("shares.owner_id", "is not", null)
    .where("shares.status", "=", "active")
    .where("shares.expires_at", "is", null)
    // The share of an upload that is under way has no expiry yet.
    .where("files.blob_state", "<>", "uploading")
    .limit(limit)
    .$narrowType<{ pro_until: NotNull }>()
    .execute();
}

/** Ends a share, and the links that lead on to it. Resolves to how many of them had not ended before, or had ended in another way. */
export async function endShare(db: Db, shortId: string, status: Exclude<ShareRow["status"], "active">): Promise<number> {
  const ended = await db
    .updateTable("shares")
    .set({ status })
    .where((where) => where.or([where("short_id", "=", shortId), where("redirect_to", "=", shortId)]))
    .where("status", "<>", status)
    .executeTakeFirst();
  return Number(ended.numUpdatedRows);
}
