import { type NotNull, type SqlBool, sql } from "kysely";
import { PRO_GRACE_MS } from "../domain/tiers.ts";
import type { Db } from "./database.ts";
import { keptQuery } from "./kept-query.ts";
import { oneOf } from "./many.ts";
import type { FileRow, ShareRow } from "./tables/files.ts";

/** A share, and since when the account of its owner is disabled: null where it is not, and where nobody owns the share. */
export interface FoundShare extends ShareRow {
  readonly owner_disabled_at: number | null;
}

const selectShares = (db: Db) =>
  db
    .selectFrom("shares")
    .leftJoin("users", "users.id", "shares.owner_id")
    .selectAll("shares")
    .select("users.disabled_at as owner_disabled_at");

const shareQuery = keptQuery((db, { shortId }: { shortId: string }) => selectShares(db).where("shares.short_id", "=", shortId));

export async function findShare(db: Db, shortId: string): Promise<FoundShare | undefined> {
  return await shareQuery.first(db, { shortId });
}

/** The share that a link leads to: its own, or the shipment that its file has joined. */
export async function findShareBehind(db: Db, shortId: string): Promise<FoundShare | undefined> {
  const share = await findShare(db, shortId);
  return share?.redirect_to ? await findShare(db, share.redirect_to) : share;
}

/** The share whose delivery link has a token of that hash. */
export async function findShareByHandoff(db: Db, handoffHash: string): Promise<FoundShare | undefined> {
  return await selectShares(db).where("shares.handoff_hash", "=", handoffHash).executeTakeFirst();
}

/** A share's files, oldest first. */
export async function listShareFiles(db: Db, shortId: string): Promise<FileRow[]> {
  return await db.selectFrom("files").selectAll().where("short_id", "=", shortId).orderBy("created_at").orderBy("id").execute();
}

/** A file and the share that it belongs to. */
export async function findFileWithShare(db: Db, fileId: string): Promise<{ file: FileRow; share: FoundShare } | undefined> {
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

export interface LapsedShare {
  readonly short_id: string;
  /** When the Pro of its owner ended. */
  readonly pro_until: number;
}

/**
 * Shares that would outlive the Pro of their owner, which has ended: those without an expiry, and those that chose one later than the grace
 * after that end. At most `limit`, of one account where `ownerId` names it; none whose upload is under way.
 */
export async function listLapsedShares(db: Db, nowMs: number, limit: number, ownerId?: string): Promise<LapsedShare[]> {
  // In this order: by the index on the owners whose Pro has a time to end, then by those on what such an owner keeps.
  const ofEnded = db
    .selectFrom("users")
    .crossJoin("shares")
    .where("users.pro_until", "<=", nowMs)
    .$if(ownerId !== undefined, (query) => query.where("users.id", "=", ownerId ?? ""))
    .whereRef("shares.owner_id", "=", "users.id");
  const kept = await ofEnded
    .innerJoin("files", "files.short_id", "shares.short_id")
    .select(["shares.short_id", "users.pro_until"])
    .distinct()
    .where("shares.owner_id", "is not", null)
    .where("shares.status", "=", "active")
    .where("shares.expires_at", "is", null)
    // The share of an upload that is under way has no expiry yet.
    .where("files.blob_state", "<>", "uploading")
    .limit(limit)
    .$narrowType<{ pro_until: NotNull }>()
    .execute();
  const chosen = await ofEnded
    .select(["shares.short_id", "users.pro_until"])
    // Without parameters: otherwise the partial index is not used.
    .where(sql<SqlBool>`shares.ends_with_pro = 1 AND shares.status = 'active'`)
    .where(sql<SqlBool>`shares.expires_at > users.pro_until + ${PRO_GRACE_MS}`)
    .limit(limit - kept.length)
    .$narrowType<{ pro_until: NotNull }>()
    .execute();
  return [...kept, ...chosen];
}

/** Has shares expire with the grace after their owners' Pro; an expiry that was chosen is remembered, for when Pro comes back. */
export async function endWithPro(db: Db, shortIds: readonly string[]): Promise<void> {
  await db
    .updateTable("shares")
    .set({
      retention: "ttl",
      chosen_expires_at: sql`coalesce(chosen_expires_at, CASE expiry_chosen WHEN 1 THEN expires_at END)`,
      expires_at: sql`(SELECT pro_until FROM users WHERE users.id = shares.owner_id) + ${PRO_GRACE_MS}`,
      ends_with_pro: 1,
    })
    .where("short_id", "in", oneOf(shortIds))
    .execute();
}

/**
 * Gives an account's shares back the expiry that they have under Pro: the chosen one, or none. `all`: also those that were published
 * without Pro, which stay as long as it does from now on.
 */
export async function keepShares(db: Db, { ownerId, all, nowMs }: { ownerId: string; all: boolean; nowMs: number }): Promise<void> {
  await db
    .updateTable("shares")
    .set({
      expires_at: sql`CASE expiry_chosen WHEN 1 THEN coalesce(chosen_expires_at, expires_at) END`,
      chosen_expires_at: null,
      ends_with_pro: 1,
    })
    .where("owner_id", "=", ownerId)
    .where("status", "=", "active")
    .where("expires_at", ">", nowMs)
    .$if(!all, (query) => query.where("ends_with_pro", "=", 1))
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
