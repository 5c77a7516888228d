import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { WithdrawalRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import type { AuditOrigin } from "../audit-log/record-audit.ts";
import { countRestorable, hasSomethingLeft, type RestoredFile, restoreBatch, restoreOwnPlaces } from "./restore-places.ts";
import { restoreOtherPlaces, WITHDRAWAL_BATCH } from "./withdraw.ts";

/** Finds the takedown of a share that is in force. */
export async function findShareTakedown(db: Db, shortId: string): Promise<WithdrawalRow | undefined> {
  return await db
    .selectFrom("withdrawals")
    .selectAll()
    .where("short_id", "=", shortId)
    .where("kind", "=", "takedown")
    .where("undone_at", "is", null)
    .executeTakeFirst();
}

/** Lists the takedowns in force that block a file, by `fileIdOf`. */
export async function listTakedownsOf(db: Db, fileId: string): Promise<readonly WithdrawalRow[]> {
  return await db
    .selectFrom("withdrawn_files")
    .innerJoin("withdrawals", "withdrawals.id", "withdrawn_files.withdrawal_id")
    .selectAll("withdrawals")
    .where("withdrawn_files.file_id", "=", fileId)
    .where("withdrawals.kind", "=", "takedown")
    .where("withdrawals.undone_at", "is", null)
    .orderBy("withdrawals.created_at")
    .execute();
}

/** Finds the takedown in force that keeps a share closed: the one that closed it, or the latest one that blocks a file of it. */
export async function findClosingTakedown(
  db: Db,
  { short_id, takedown_id }: Pick<ShareRow, "short_id" | "takedown_id">,
): Promise<WithdrawalRow | undefined> {
  const { rows } =
    await sql<WithdrawalRow>`SELECT * FROM withdrawals WHERE kind = 'takedown' AND undone_at IS NULL AND (id = ${takedown_id} OR id IN (
      SELECT withdrawal_id FROM withdrawn_files
      WHERE file_id IN (SELECT coalesce(origin_id, id) FROM files WHERE short_id = ${short_id} AND status = 'dmca_removed')))
    ORDER BY id = ${takedown_id} DESC, created_at DESC LIMIT 1`.execute(db);
  return rows[0];
}

/** The undoing of takedowns of one share or file. */
export interface Undoing {
  /** The share in which the places are named in the result. */
  readonly shortId: string;
  readonly takedowns: readonly WithdrawalRow[];
  /** The files to restore, by `fileIdOf`; undefined: all files of the takedowns. */
  readonly fileIds?: readonly string[];
}

export interface UndoneTakedown {
  readonly id: string;
  /** The files in the share. */
  readonly files: readonly RestoredFile[];
  /** The first places in other shares. */
  readonly others: readonly RestoredFile[];
  /** Number of all places in other shares. */
  readonly otherCount: number;
  /** The short IDs of other shares that are open again, as far as the first places are in them. */
  readonly shares: readonly string[];
}

/**
 * Undoes takedowns: restores what they have ended and no other takedown blocks, the first places in this transaction and the others by a durable job.
 * A place that another takedown also blocks is restored when that takedown is undone. Throws CONFLICT before it changes anything if nothing can ever be
 * restored. Call `ctx.wakeJobs()` afterwards.
 */
export async function undoTakedowns(ctx: TransactionCtx, origin: AuditOrigin, undoing: Undoing): Promise<UndoneTakedown> {
  await checkRestorable(ctx, undoing);
  const undone = await endTakedowns(ctx, undoing);
  const own = await restoreOwnPlaces(ctx, undone, undoing.shortId);
  const others = await restoreBatch(ctx, origin, undone, WITHDRAWAL_BATCH);
  const count = others.files.length;
  const otherCount = count < WITHDRAWAL_BATCH ? count : count + (await countRestorable(ctx, undone));
  await restoreOtherPlaces(ctx, undone, count);
  return { id: undone.id, files: own.files, others: others.files, otherCount, shares: others.shares.map(({ short_id }) => short_id) };
}

async function checkRestorable(ctx: TransactionCtx, { shortId, takedowns, fileIds }: Undoing): Promise<void> {
  const ids = inJson(takedowns.map(({ id }) => id));
  const named = fileIds === undefined ? sql`` : sql`AND withdrawn_files.file_id IN ${inJson(fileIds)}`;
  const find = async (join: ReturnType<typeof sql>): Promise<boolean> => {
    const { rows } =
      await sql`SELECT 1 FROM withdrawn_files CROSS JOIN files ON ${join} CROSS JOIN shares ON shares.short_id = files.short_id
      WHERE withdrawn_files.withdrawal_id IN ${ids} ${named} AND ${hasSomethingLeft(ctx.now())} LIMIT 1`.execute(ctx.db);
    return rows.length > 0;
  };
  const isNamed = takedowns.some(({ short_id }) => short_id === shortId);
  if (isNamed && fileIds === undefined && (await hasSomethingLeftIn(ctx, shortId))) return;
  if ((await find(sql`files.id = withdrawn_files.file_id`)) || (await find(sql`files.origin_id = withdrawn_files.file_id`))) return;
  throw new AppError("CONFLICT", await describeLoss(ctx, shortId));
}

async function hasSomethingLeftIn(ctx: TransactionCtx, shortId: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM files JOIN shares ON shares.short_id = files.short_id
    WHERE files.short_id = ${shortId} AND ${hasSomethingLeft(ctx.now())} LIMIT 1`.execute(ctx.db);
  return rows.length > 0;
}

async function describeLoss({ db, now }: TransactionCtx, shortId: string): Promise<string> {
  const share = await db
    .selectFrom("shares")
    .select(["status", "expires_at", "ended_at"])
    .where("short_id", "=", shortId)
    .executeTakeFirst();
  if (share?.status === "expired" || share?.status === "deleted")
    return "The share of this file has ended meanwhile. Ask the sender to upload it again.";
  const { expires_at = null, ended_at = null } = share ?? {};
  return expires_at !== null && expires_at <= (ended_at ?? now())
    ? "The share had expired before it was taken down. Ask the sender to upload it again."
    : "The bytes of its files have been removed. Ask the sender to upload them again.";
}

/** Ends takedowns, or takes files out of them. Resolves to the withdrawal that has the files to restore. */
async function endTakedowns(ctx: TransactionCtx, { shortId, takedowns, fileIds }: Undoing): Promise<WithdrawalRow> {
  const nowMs = ctx.now();
  const [only, second] = takedowns;
  if (only && !second && fileIds === undefined) {
    await ctx.db.updateTable("withdrawals").set({ undone_at: nowMs }).where("id", "=", only.id).execute();
    return { ...only, undone_at: nowMs };
  }
  const ids = inJson(takedowns.map(({ id }) => id));
  const removeAtMs = takedowns.reduce((latest, { remove_at }) => Math.max(latest, remove_at), 0);
  const undone = {
    id: newUuid(ctx.random, nowMs),
    kind: "takedown",
    short_id: takedowns.some(({ short_id }) => short_id === shortId) ? shortId : null,
    created_at: nowMs,
    remove_at: removeAtMs,
    undone_at: nowMs,
    public_reason: null,
  } as const;
  await ctx.db.insertInto("withdrawals").values(undone).execute();
  const named = fileIds === undefined ? sql`` : sql`AND file_id IN ${inJson(fileIds)}`;
  await sql`INSERT INTO withdrawn_files (withdrawal_id, file_id)
    SELECT DISTINCT ${undone.id}, file_id FROM withdrawn_files WHERE withdrawal_id IN ${ids} ${named}`.execute(ctx.db);
  await sql`DELETE FROM withdrawn_files WHERE withdrawal_id IN ${ids} ${named}`.execute(ctx.db);
  // The share opens with the restored file. Its other files stay blocked.
  await ctx.db.updateTable("withdrawals").set({ short_id: null }).where("id", "in", ids).where("short_id", "=", shortId).execute();
  await sql`DELETE FROM withdrawals WHERE id IN ${ids} AND short_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM withdrawn_files WHERE withdrawal_id = withdrawals.id)`.execute(ctx.db);
  return undone;
}
