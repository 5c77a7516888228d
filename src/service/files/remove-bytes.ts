import type { ExpressionBuilder } from "kysely";
import { reducedKey, thumbnailKey } from "../../blobs/store.ts";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db, Schema } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { runInBatches } from "../../lib/concurrency/batches.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { releaseQuota } from "../accounts/quotas.ts";
import { deleteDispatchedEvents } from "../events/outbox.ts";
import { hasExpired } from "../shares/queries.ts";
import { keysOfFiles, STATES_WITH_BYTES } from "../storage/known-keys.ts";
import { findRemovalStop } from "../storage/store-pair.ts";
import { TRANSITIONS, transition } from "./file-state.ts";

/** Number of files per batch. Each batch takes two commits. */
const BATCH_SIZE = 40;
const ROW_BATCH_SIZE = 200;
const CONCURRENCY = 8;
/** Retention of a removed file's row, for file info (expiry, "When a share expires"). */
const ROW_RETENTION_MS = 30 * DAY_MS;

/** The states of files that have bytes to remove. */
const REMOVABLE = TRANSITIONS.removeBytes.from.blob_state;

/** Returns the condition of files whose bytes are due to be removed. */
const isRemovalDue = (nowMs: number) => (where: ExpressionBuilder<Schema, "files">) =>
  where.and([where("files.remove_at", "<=", nowMs), where("files.blob_state", "in", REMOVABLE)]);

/** Returns the condition of files whose rows are old enough to be deleted. */
const isOldRow = (nowMs: number) => (where: ExpressionBuilder<Schema, "files">) =>
  where.and([where("files.ended_at", "<=", nowMs - ROW_RETENTION_MS), where("files.blob_state", "=", "removed")]);

/**
 * Removes the bytes of ended files that are due, unless removal is stopped for the store. The next run retries a file that fails. Resolves to the
 * number of removed files.
 */
export async function removeDueFiles(ctx: Ctx): Promise<number> {
  let removed = 0;
  let after = { remove_at: 0, id: "" };
  await runInBatches(async () => {
    if (await findRemovalStop(ctx)) return 0;
    // Reads in the order of the index on remove_at; ordered by ID alone, the database would read every file.
    const due = await ctx.db
      .selectFrom("files")
      .select(["id", "remove_at"])
      .where(isRemovalDue(ctx.now()))
      .where("remove_at", ">=", after.remove_at)
      .where((where) => where.or([where("remove_at", ">", after.remove_at), where("id", ">", after.id)]))
      .orderBy("remove_at")
      .orderBy("id")
      .limit(BATCH_SIZE)
      .execute();
    const last = due.at(-1);
    if (!last) return 0;
    after = { remove_at: last.remove_at ?? 0, id: last.id };
    removed += await removeBatch(
      ctx,
      due.map((file) => file.id),
    );
    return due.length;
  });
  return removed;
}

/** Counts the files whose bytes `removeDueFiles` would remove once the expired shares are closed. */
export async function countRemovable(db: Db, nowMs: number): Promise<number> {
  const { count } = await db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("files.blob_state", "in", REMOVABLE)
    .where((where) => where.or([isRemovalDue(nowMs)(where), where.and([where("files.status", "=", "active"), hasExpired(nowMs)(where)])]))
    .executeTakeFirstOrThrow();
  return count;
}

/** Counts the files whose rows `deleteOldFileRows` would delete. */
export async function countOldFileRows(db: Db, nowMs: number): Promise<number> {
  const { count } = await db
    .selectFrom("files")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where(isOldRow(nowMs))
    .executeTakeFirstOrThrow();
  return count;
}

/** Removes the bytes of files that have just ended, at most one batch. The next cleanup removes the rest. */
export async function removeFirstBytes(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0 && !(await findRemovalStop(ctx))) await removeBatch(ctx, ids.slice(0, BATCH_SIZE));
}

/**
 * Removes the bytes of ended files and releases their storage. The rows record the removal first, so that an interrupted call can be repeated.
 * Resolves to the number of files.
 */
async function removeBatch(ctx: Ctx, ids: readonly string[]): Promise<number> {
  const { last, others } = await ctx.transaction((ctx) => beginRemoval(ctx, ids));
  const blobs = [...Map.groupBy(last, ({ blob_key }) => blob_key).values()];
  const removed: string[] = [];
  for (let start = 0; start < blobs.length; start += CONCURRENCY) {
    await Promise.all(
      blobs.slice(start, start + CONCURRENCY).map(async (places) => {
        const [place] = places;
        if (place && (await removeBlob(ctx, place))) removed.push(...places.map(({ id }) => id));
      }),
    );
  }
  if (removed.length > 0) await ctx.transaction((ctx) => markRemoved(ctx, removed));
  return removed.length + others;
}

type RemovedPlace = Pick<FileRow, "id" | "blob_key" | "reduced_bytes" | "thumbnail_bytes" | "origin_id">;

/**
 * Records that the removal of the bytes of ended places begins. A place whose bytes another one needs loses only its reference to them. Resolves to
 * the places whose bytes are to be removed, and the number of the others.
 */
async function beginRemoval(ctx: TransactionCtx, ids: readonly string[]): Promise<{ last: readonly RemovedPlace[]; others: number }> {
  const places = await ctx.db
    .updateTable("files")
    .set(transition("removeBytes").set)
    .where("id", "in", ids)
    // Checks the time again, because a listed file may have been restored from quarantine.
    .where("remove_at", "<=", ctx.now())
    .where(transition("removeBytes").where)
    .returning(["id", "blob_key", "reduced_bytes", "thumbnail_bytes", "origin_id"])
    .execute();
  const needed = await keysOfFiles(ctx.db, sharedKeys(places), ["stored", "quarantined"]);
  const others = places.filter(({ blob_key }) => needed.has(blob_key));
  if (others.length > 0)
    await markRemoved(
      ctx,
      others.map(({ id }) => id),
    );
  return { last: places.filter(({ blob_key }) => !needed.has(blob_key)), others: others.length };
}

/** Removes the images made of a file and then its blob, so that a failure leaves none of them without a row. */
async function removeBlob(ctx: Ctx, file: RemovedPlace): Promise<boolean> {
  try {
    if (file.reduced_bytes !== null) await ctx.blobs.remove(reducedKey(file.blob_key));
    if (file.thumbnail_bytes !== null) await ctx.blobs.remove(thumbnailKey(file.blob_key));
    await ctx.blobs.remove(file.blob_key);
    return true;
  } catch (error) {
    ctx.log.error({ err: error, fileId: file.id }, "removing a file's bytes failed; retrying later");
    return false;
  }
}

/** Deletes the rows of files whose bytes were removed long ago, with their shares and events. Resolves to the number of files. */
export async function deleteOldFileRows(ctx: Ctx): Promise<number> {
  let deleted = 0;
  for (;;) {
    const rows = await ctx.db
      .selectFrom("files")
      .select(["id", "short_id", "origin_id"])
      .where(isOldRow(ctx.now()))
      .limit(ROW_BATCH_SIZE)
      .execute();
    if (rows.length === 0) return deleted;
    await ctx.transaction(async (ctx) => {
      for (const row of rows) {
        await ctx.db.deleteFrom("files").where("id", "=", row.id).execute();
        await deleteDispatchedEvents(ctx.db, [row.id]);
        const other = await ctx.db.selectFrom("files").select("id").where("short_id", "=", row.short_id).executeTakeFirst();
        if (other) continue;
        await ctx.db.deleteFrom("shares").where("redirect_to", "=", row.short_id).execute();
        await ctx.db.deleteFrom("shares").where("short_id", "=", row.short_id).where(isOfNoSubmission).execute();
      }
    });
    deleted += rows.length;
  }
}

/** Deletes shares that ended long ago and have no file. */
export async function deleteOldEmptyShares(ctx: Ctx): Promise<void> {
  await ctx.db
    .deleteFrom("shares")
    .where("ended_at", "<=", ctx.now() - ROW_RETENTION_MS)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("files").select("files.id").whereRef("files.short_id", "=", "shares.short_id"))),
    )
    .where(isOfNoSubmission)
    .execute();
}

/** Excludes submissions, because a sender can add files, which reopens the share, while the request is open. */
const isOfNoSubmission = ({ not, exists, selectFrom }: ExpressionBuilder<Schema, "shares">) =>
  not(
    exists(
      selectFrom("request_submissions").select("request_submissions.id").whereRef("request_submissions.short_id", "=", "shares.short_id"),
    ),
  );

/** Clears the removal time of a share's files without stored bytes: there are no bytes to remove later, or the end of their upload removes them. */
export async function cancelRemovalWithoutBytes(db: Db, shortId: string): Promise<void> {
  await db
    .updateTable("files")
    .set({ remove_at: null })
    .where("short_id", "=", shortId)
    .where("blob_state", "in", ["removed", "uploading"])
    .execute();
}

/** Records the removal of files' bytes and releases their storage. */
async function markRemoved(ctx: TransactionCtx, fileIds: readonly string[]): Promise<void> {
  const removed = await ctx.db
    .updateTable("files")
    .set({ ...transition("recordRemoval").set, remove_at: null })
    .where("id", "in", fileIds)
    .where(transition("recordRemoval").where)
    .returning(["quota_owner", "size_bytes", "blob_key", "origin_id"])
    .execute();
  // Reads the owner after the removal, because a claim may have changed it meanwhile.
  for (const [owner, places] of Map.groupBy(removed, ({ quota_owner }) => quota_owner)) {
    const counted = await keysOfFiles(ctx.db, sharedKeys(places), STATES_WITH_BYTES, owner);
    const blobs = new Map(places.map(({ blob_key, size_bytes }) => [blob_key, counted.has(blob_key) ? 0 : size_bytes]));
    const bytes = blobs.values().reduce((sum, size) => sum + size, 0);
    await releaseQuota(ctx.db, { owner, bytes, files: places.length });
  }
}

/** Returns the keys of the blobs that other places may have too. */
const sharedKeys = (places: readonly Pick<FileRow, "blob_key" | "origin_id">[]): readonly string[] => [
  ...new Set(places.filter(({ origin_id }) => origin_id !== null).map(({ blob_key }) => blob_key)),
];
