import { type SqlBool, sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson, insertMany } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow, WithdrawalRow } from "../../db/tables/files.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { deleteJob, enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { type AuditOrigin, recordAudits } from "../audit-log/record-audit.ts";
import { closeShareRows } from "../shares/queries.ts";
import { closeSharesIfEmpty, endFilesOnly, REMOVE_NOW } from "./end-file.ts";
import { endLostPlaces, restoreBatch } from "./restore-places.ts";

/** The kind of the jobs that end or restore the places beyond the first transaction. */
const WITHDRAWAL_JOB = "withdrawal";

/** Number of places that one transaction ends or restores. */
export const WITHDRAWAL_BATCH = 1000;

/** Retention of a takedown after the removal of its bytes, as long as their rows may remain. */
const RETENTION_MS = 30 * DAY_MS;

export interface NewWithdrawal {
  readonly kind: WithdrawalRow["kind"];
  readonly shortId?: string;
  /** The files by `fileIdOf`. */
  readonly fileIds: readonly string[];
  readonly removeAtMs: number;
  /** The reason of a takedown that the pages of its links give. */
  readonly publicReason?: WithdrawalRow["public_reason"] | undefined;
}

/**
 * Withdraws files: from the commit on, no place of them offers bytes. `endOtherPlaces` then ends the places. Resolves to the withdrawal.
 */
export async function insertWithdrawal(
  ctx: TransactionCtx,
  { kind, shortId, fileIds, removeAtMs, publicReason }: NewWithdrawal,
): Promise<WithdrawalRow> {
  const nowMs = ctx.now();
  const row = {
    id: newUuid(ctx.random, nowMs),
    kind,
    short_id: shortId ?? null,
    created_at: nowMs,
    remove_at: removeAtMs,
    undone_at: null,
    public_reason: publicReason ?? null,
  };
  await ctx.db.insertInto("withdrawals").values(row).execute();
  await insertMany(
    ctx.db,
    "withdrawn_files",
    [...new Set(fileIds)].map((file_id) => ({ withdrawal_id: row.id, file_id })),
  );
  return row;
}

/** Adds files, by `fileIdOf`, to a takedown in force that does not have them, and its reason if there is a new one. Resolves to the takedown. */
export async function extendTakedown(
  ctx: TransactionCtx,
  takedown: WithdrawalRow,
  { fileIds, removeAtMs, publicReason }: Pick<NewWithdrawal, "fileIds" | "removeAtMs" | "publicReason">,
): Promise<WithdrawalRow> {
  const { numAffectedRows = 0n } = await sql`INSERT OR IGNORE INTO withdrawn_files (withdrawal_id, file_id)
    SELECT ${takedown.id}, value FROM json_each(${JSON.stringify(fileIds)})`.execute(ctx.db);
  const changed = {
    remove_at: numAffectedRows === 0n ? takedown.remove_at : Math.max(takedown.remove_at, removeAtMs),
    public_reason: publicReason ?? takedown.public_reason,
  };
  await ctx.db.updateTable("withdrawals").set(changed).where("id", "=", takedown.id).execute();
  return { ...takedown, ...changed };
}

/** Returns the condition of places that a withdrawal ends. A takedown leaves ended places without bytes as they are. */
const isEndable = (kind: WithdrawalRow["kind"]) =>
  kind === "deletion"
    ? sql<SqlBool>`files.status IN ('active', 'expired')`
    : sql<SqlBool>`files.status IN ('active', 'expired') AND (files.status = 'active' OR files.blob_state IN ('stored', 'quarantined'))`;

/** Returns whether a takedown of files, by `fileIdOf`, would end a place beside `ids`. */
export async function hasEndablePlaces(db: Db, fileIds: readonly string[], ids: readonly string[]): Promise<boolean> {
  const place = await db
    .selectFrom("files")
    .select("id")
    .where("origin_id", "in", inJson(fileIds))
    .where("id", "not in", inJson(ids))
    .where(isEndable("takedown"))
    .limit(1)
    .executeTakeFirst();
  return place !== undefined;
}

/**
 * Ends the places of withdrawn files and closes the shares without an active file: the first places in this transaction, the others by a durable job.
 * Resolves to the IDs of the first ones. Call `ctx.wakeJobs()` afterwards.
 */
export async function endOtherPlaces(ctx: TransactionCtx, origin: AuditOrigin, withdrawal: WithdrawalRow): Promise<readonly string[]> {
  const ended = await endBatch(ctx, origin, withdrawal);
  await continueLater(ctx, withdrawal, ended.length);
  return ended;
}

async function continueLater(ctx: TransactionCtx, withdrawal: WithdrawalRow, count: number): Promise<void> {
  if (await isDone(ctx, withdrawal, count)) return await finish(ctx, withdrawal);
  const nowMs = ctx.now();
  const subject = { kind: WITHDRAWAL_JOB, subject: withdrawal.id };
  // A run of the old job may be about to finish. It must not finish the new one.
  await deleteJob(ctx.db, subject);
  await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), ...subject, runAtMs: nowMs, nowMs });
}

/** Returns whether a batch of `count` places was the last. After the last place that an undoing restores, it ends those that it cannot restore. */
async function isDone(ctx: TransactionCtx, withdrawal: WithdrawalRow, count: number): Promise<boolean> {
  if (count === WITHDRAWAL_BATCH || withdrawal.undone_at === null) return count < WITHDRAWAL_BATCH;
  return (await endLostPlaces(ctx, withdrawal, WITHDRAWAL_BATCH)) < WITHDRAWAL_BATCH;
}

/**
 * Deletes a withdrawal that has nothing left to do. A takedown remains until it is undone. A deletion also applies to places that are taken down: they
 * are never restored.
 */
async function finish({ db }: TransactionCtx, { id, kind, undone_at }: WithdrawalRow): Promise<void> {
  if (kind === "takedown" && undone_at === null) return;
  if (kind === "deletion")
    await sql`UPDATE files SET status_before_takedown = 'deleted' WHERE status = 'dmca_removed'
      AND origin_id IN (SELECT file_id FROM withdrawn_files WHERE withdrawal_id = ${id})`.execute(db);
  await db.deleteFrom("withdrawals").where("id", "=", id).execute();
}

/** Restores places of files whose takedown is undone beyond those of the first transaction. `restored` is the number of these. */
export const restoreOtherPlaces = (ctx: TransactionCtx, undone: WithdrawalRow, restored: number): Promise<void> =>
  continueLater(ctx, undone, restored);

/** The job that continues a withdrawal, or its undoing. */
export const withdrawalJob: JobKind<Ctx> = {
  name: WITHDRAWAL_JOB,
  slots: () => ({ total: 1 }),
  async run(ctx, { subject }, signal) {
    for (let count = WITHDRAWAL_BATCH; count === WITHDRAWAL_BATCH; ) {
      signal.throwIfAborted();
      count = await ctx.transaction((ctx) => runBatch(ctx, subject));
      ctx.wakeJobs();
    }
    return DONE;
  },
};

async function runBatch(ctx: TransactionCtx, id: string): Promise<number> {
  const withdrawal = await ctx.db.selectFrom("withdrawals").selectAll().where("id", "=", id).executeTakeFirst();
  if (!withdrawal) return 0;
  const count =
    withdrawal.undone_at === null
      ? (await endBatch(ctx, "system", withdrawal)).length
      : (await restoreBatch(ctx, "system", withdrawal, WITHDRAWAL_BATCH)).files.length;
  if (!(await isDone(ctx, withdrawal, count))) return WITHDRAWAL_BATCH;
  await finish(ctx, withdrawal);
  return 0;
}

async function endBatch(ctx: TransactionCtx, origin: AuditOrigin, withdrawal: WithdrawalRow): Promise<readonly string[]> {
  const { id, kind, remove_at } = withdrawal;
  const places = await ctx.db
    .selectFrom("withdrawn_files")
    .innerJoin("files", "files.origin_id", "withdrawn_files.file_id")
    .select(["files.id", "files.short_id", "files.owner_id", "files.name", "files.size_bytes", "files.content_type"])
    .where("withdrawn_files.withdrawal_id", "=", id)
    .where(isEndable(kind))
    .limit(WITHDRAWAL_BATCH)
    .execute();
  if (places.length === 0) return [];
  const shortIds = [...new Set(places.map(({ short_id }) => short_id))];
  if (kind === "deletion") {
    await endFilesOnly(ctx, places, { status: "deleted", removeAtMs: REMOVE_NOW });
    await closeSharesIfEmpty(ctx, shortIds, "deleted");
  } else {
    await endFilesOnly(ctx, places, { status: "dmca_removed", removeAtMs: remove_at });
    const closed = await closeTakenDownShares(ctx, withdrawal, shortIds);
    const details = { takedown: id };
    const toEntry = ({ short_id, owner_id }: ClosedShare) =>
      ({ action: "share.taken_down", subject: short_id, account: owner_id, details }) as const;
    await recordAudits(ctx, origin, closed.map(toEntry));
  }
  return places.map((place) => place.id);
}

/** Closes the share that a takedown names, with the links that redirect to it. */
export async function closeNamedShare(ctx: TransactionCtx, { id }: Pick<WithdrawalRow, "id">, shortId: string): Promise<void> {
  await closeShareRows(ctx, shortId, "dmca_removed");
  await ctx.db
    .updateTable("shares")
    .set({ takedown_id: id })
    .where((where) => where.or([where("short_id", "=", shortId), where("redirect_to", "=", shortId)]))
    .execute();
}

/** Closes the shares without an active file, and records which takedown closed them. Resolves to the shares. */
export async function closeTakenDownShares(
  ctx: TransactionCtx,
  takedown: Pick<WithdrawalRow, "id">,
  shortIds: readonly string[],
): Promise<readonly ClosedShare[]> {
  const { rows } = await sql<ClosedShare>`UPDATE shares SET status = 'dmca_removed', ended_at = ${ctx.now()}, takedown_id = ${takedown.id}
    WHERE status IN ('active', 'expired') AND (short_id IN ${inJson(shortIds)} OR redirect_to IN ${inJson(shortIds)})
      AND NOT EXISTS (SELECT 1 FROM files WHERE files.short_id = coalesce(shares.redirect_to, shares.short_id) AND files.status = 'active')
    RETURNING short_id, owner_id, redirect_to`.execute(ctx.db);
  return rows.filter(({ redirect_to }) => redirect_to === null);
}

interface ClosedShare extends Pick<FileRow, "short_id" | "owner_id"> {
  readonly redirect_to: string | null;
}

/** Deletes the takedowns whose bytes were removed so long ago that their rows are deleted. */
export async function deleteOldWithdrawals({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db
    .deleteFrom("withdrawals")
    .where("kind", "=", "takedown")
    .where("remove_at", "<=", now() - RETENTION_MS)
    .execute();
}
