import { type RawBuilder, sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { cancelJobs } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { deleteDispatchedEvents, insertEvents } from "../events/outbox.ts";
import { SCAN_JOB } from "./enqueue-scan.ts";
import { transition } from "./file-state.ts";
import { fileIdOf } from "./places.ts";

/** Removal time of bytes that a person has deleted: immediately, whatever the clock says. */
export const REMOVE_NOW = 0;

export type EndableFile = Pick<FileRow, "id" | "short_id" | "owner_id" | "name" | "size_bytes" | "content_type">;

export interface FileEnd {
  readonly status: "expired" | "deleted" | "dmca_removed";
  /**
   * Removal time of the bytes, in milliseconds since 1970; `lastGrant`: the expiry of the file's last download grant; null: the file has no bytes, or
   * the end of its upload removes them.
   */
  readonly removeAtMs: number | "lastGrant" | null;
}

/**
 * Ends a file, and its share if no other file in it is active. Expiry emits `file.expired`. Resolves to false if the file's status does not allow the
 * change.
 */
export async function endFile(ctx: TransactionCtx, file: EndableFile, end: FileEnd): Promise<boolean> {
  if ((await endFilesOnly(ctx, [file], end)) === 0) return false;
  await closeSharesIfEmpty(ctx, [file.short_id], end.status);
  return true;
}

/** The condition of a share that has a file which is taken down and comes back with the undoing of its takedown. */
const HAS_TAKEN_DOWN = sql<boolean>`EXISTS (SELECT 1 FROM files WHERE files.short_id = coalesce(shares.redirect_to, shares.short_id)
  AND files.status = 'dmca_removed' AND files.blob_state IN ('stored', 'quarantined') AND coalesce(files.status_before_takedown, 'active') = 'active')`;

/**
 * Closes the shares that have no active file, and the links that redirect to them, with one statement; with `isOpen`, only active ones. A share whose
 * other files are taken down is taken down, so that it opens when these come back. Resolves to the short IDs of those that had another status.
 */
export async function closeSharesIfEmpty(
  ctx: TransactionCtx,
  shortIds: readonly string[],
  status: FileEnd["status"],
  { isOpen = false } = {},
): Promise<readonly string[]> {
  const cleared = ["title", "message", "handoff_message"].map(
    (name) => sql`, ${sql.ref(name)} = iif(${HAS_TAKEN_DOWN}, ${sql.ref(name)}, NULL)`,
  );
  const text = status === "deleted" ? sql.join(cleared, sql``) : sql``;
  const condition = isOpen ? sql`status = 'active'` : sql`status <> ${status} AND NOT (status = 'dmca_removed' AND ${HAS_TAKEN_DOWN})`;
  const { rows } = await sql<{ readonly short_id: string }>`UPDATE shares
    SET status = iif(${HAS_TAKEN_DOWN}, 'dmca_removed', ${status}), ended_at = ${ctx.now()}${text}
    WHERE ${condition} AND (short_id IN ${inJson(shortIds)} OR redirect_to IN ${inJson(shortIds)})
      AND NOT EXISTS (SELECT 1 FROM files WHERE files.short_id = coalesce(shares.redirect_to, shares.short_id) AND files.status = 'active')
    RETURNING short_id`.execute(ctx.db);
  return rows.map(({ short_id }) => short_id);
}

/** Ends the private shares of deleted submissions: deletes shares that never had a file, and closes shares without a remaining file. */
export async function endPrivateShares(ctx: TransactionCtx, shortIds: readonly string[]): Promise<void> {
  await ctx.db
    .deleteFrom("shares")
    .where("short_id", "in", inJson(shortIds))
    .where("is_private", "=", 1)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("files").select("files.id").whereRef("files.short_id", "=", "shares.short_id"))),
    )
    .execute();
  await closeSharesIfEmpty(ctx, shortIds, "deleted", { isOpen: true });
}

/**
 * Ends any number of files with a few statements, without their shares: a search for another active file after each file would take quadratic time.
 * Resolves to the number of ended files.
 */
export async function endFilesOnly(ctx: TransactionCtx, files: readonly EndableFile[], end: FileEnd): Promise<number> {
  const nowMs = ctx.now();
  const change = transition(TRANSITION_OF[end.status]);
  const rows = await ctx.db
    .updateTable("files")
    .set({
      ...change.set,
      ended_at: nowMs,
      remove_at: end.removeAtMs === "lastGrant" ? lastGrantExpiry(nowMs) : end.removeAtMs,
      ...(end.status === "deleted" && CLEARED_COLUMNS),
      ...(end.status === "dmca_removed" && { status_before_takedown: sql<"active" | "expired">`status` }),
    })
    .where("id", "in", inJson(files.map(({ id }) => id)))
    .where(change.where)
    .returning(["id", "blob_state", "origin_id"])
    .execute();
  if (rows.length === 0) return 0;
  const ended = new Set(rows.map(({ id }) => id));
  await deletePendingWork(ctx.db, rows, end);
  if (end.status === "expired") {
    const complete = new Set(rows.filter(({ blob_state }) => blob_state !== "uploading").map(({ id }) => id));
    const expired = files.filter(({ id }) => complete.has(id));
    const toEvent = (file: EndableFile) =>
      ({ id: newUuid(ctx.random, nowMs), type: "file.expired", file, reason: "expired", nowMs }) as const;
    await insertEvents(ctx.db, expired.map(toEvent));
  }
  return ended.size;
}

/** Marks expired files as deleted, whose bytes are about to be removed. */
export async function markDeleted({ db }: Pick<TransactionCtx, "db">, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const change = transition("delete");
  await db
    .updateTable("files")
    .set({ ...change.set, ...CLEARED_COLUMNS })
    .where("id", "in", inJson(ids))
    .where(change.where)
    .execute();
  await deleteDispatchedEvents(db, ids);
}

/** Column values of a deleted file (sharing, "Deleting"). The path is cleared too, because it contains the name. */
const CLEARED_COLUMNS = {
  name: "",
  owner_name: null,
  name_key: "",
  name_order: "",
  relative_path: null,
  sent_name: null,
  sent_path: null,
  download_count: 0,
};

const TRANSITION_OF = { expired: "expire", deleted: "delete", dmca_removed: "takeDown" } as const;

/** Deletes the scan jobs that have not started, of files without an active place, and, for deleted files, the dispatched events. */
async function deletePendingWork(db: Db, places: readonly Pick<FileRow, "id" | "origin_id">[], { status }: FileEnd): Promise<void> {
  const origins = places.flatMap(({ origin_id }) => origin_id ?? []);
  const active = origins.length === 0 ? new Set() : await findActive(db, origins);
  const subjects = places.map((place) => fileIdOf(place)).filter((id) => !active.has(id));
  await cancelJobs(db, { kind: SCAN_JOB, subjects });
  const ids = places.map(({ id }) => id);
  if (status === "deleted") await deleteDispatchedEvents(db, ids);
}

/** Returns the `origin_id` of the files that have an active place. */
async function findActive(db: Db, originIds: readonly string[]): Promise<ReadonlySet<string | null>> {
  const rows = await db
    .selectFrom("files")
    .select("origin_id")
    .distinct()
    .where("origin_id", "in", inJson(originIds))
    .where("status", "=", "active")
    .execute();
  return new Set(rows.map(({ origin_id }) => origin_id));
}

/** Returns the expiry of the last download grant of a row of `files` in SQL, or `nowMs` without one. */
export const lastGrantExpiry = (nowMs: number): RawBuilder<number> =>
  sql`coalesce((SELECT max(expires_at) FROM download_grants WHERE download_grants.file_id = files.id), ${nowMs})`;
