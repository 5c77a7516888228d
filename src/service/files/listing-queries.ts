import { type SqlBool, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { SCAN_STATUSES } from "../shares/share-list-queries.ts";

const LISTED_PLACE_SQL = "files.owner_id IS NOT NULL AND files.status IN ('active', 'dmca_removed') AND files.blob_state <> 'uploading'";

/** The condition of the places that their owner can name: active, or taken down by the administrator. */
export const LISTED_PLACE = sql<SqlBool>`${sql.raw(LISTED_PLACE_SQL)}`;

/**
 * The condition of the places by which listings show files: of each file the oldest one. It repeats the partial indexes `files_newest…` without
 * parameters; otherwise SQLite does not use those indexes.
 */
export const LISTED = sql<SqlBool>`${sql.raw(LISTED_PLACE_SQL)} AND files.is_repeat = 0`;

export interface ListedFile {
  readonly file: FileRow;
  readonly share: ShareRow;
}

export interface FileFilter {
  readonly ownerId: string;
  /** Limits the list to files directly in this folder; null: files without a folder; undefined: all files. */
  readonly folderId: string | null | undefined;
  /** Whether the files in the folders below `folderId`, at every depth, are listed too. */
  readonly isRecursive?: boolean;
  /** Limits the list to files whose names contain each of these words (`toSearchKey`). */
  readonly words?: readonly string[];
}

export const FILE_SORTS = ["created", "name", "size", "state"] as const;

export interface FileOrder {
  readonly sort: (typeof FILE_SORTS)[number];
  readonly isAscending: boolean;
}

/** The rank of states: taken down, blocked, waiting for the scan, ready. It is written as in the index `files_by_state`. */
const STATE_RANK =
  "CASE WHEN status <> 'active' THEN 0 WHEN scan_status = 'unavailable' THEN 1 WHEN scan_status <> 'clean' THEN 2 ELSE 3 END";

/** The columns and the index of each order. Without statistics, SQLite would choose an index with too few columns and read every row. */
const ORDERS: Readonly<Record<FileOrder["sort"], { readonly index: string; readonly by: string }>> = {
  created: { index: "files_newest", by: "created_at" },
  name: { index: "files_by_name", by: "name_order" },
  size: { index: "files_by_size", by: "size_bytes" },
  state: { index: "files_by_state", by: STATE_RANK },
};

/** Returns the index of an order. Only the index of names contains all columns that a search reads. */
function indexOf({ words = [], folderId }: FileFilter, { sort }: Pick<FileOrder, "sort">): string {
  if (words.length > 0) return ORDERS.name.index;
  return sort === "created" && folderId !== undefined ? "files_newest_in_folder" : ORDERS[sort].index;
}

/** Selects the IDs of a folder and of the folders inside it, at every depth. */
export const foldersInside = (folderId: string) => sql<string>`WITH RECURSIVE inside (id) AS (
  SELECT ${folderId} UNION ALL SELECT folders.id FROM folders JOIN inside ON folders.parent_id = inside.id) SELECT id FROM inside`;

/** Selects the listed files that match, by an index. */
function matching({ ownerId, folderId, isRecursive = false, words = [] }: FileFilter, index: string) {
  const within =
    folderId === undefined
      ? sql``
      : folderId === null
        ? sql` AND files.folder_id IS NULL`
        : isRecursive
          ? sql` AND files.folder_id IN (${foldersInside(folderId)})`
          : sql` AND files.folder_id = ${folderId}`;
  const found = words.map((word) => sql` AND instr(files.name_key, ${word}) > 0`);
  return sql`FROM files INDEXED BY ${sql.raw(index)} WHERE files.owner_id = ${ownerId} AND ${LISTED}${within}${sql.join(found, sql``)}`;
}

/** Lists one page of an account's files. `total` is the number of matching files; a page near the end is read from the end. */
export async function listFilePage(
  db: Db,
  filter: FileFilter,
  { offset, limit, total, ...order }: FileOrder & { offset: number; limit: number; total: number },
): Promise<ListedFile[]> {
  const wanted = Math.min(limit, total - offset);
  if (wanted <= 0) return [];
  const fromEnd = total - offset - wanted;
  const isFar = fromEnd < offset;
  const { by } = ORDERS[order.sort];
  const direction = sql.raw(order.isAscending === isFar ? "DESC" : "ASC");
  // Reads the IDs from an index, so that the rows before the page are not read.
  const { rows } = await sql<{ readonly id: string }>`SELECT files.id ${matching(filter, indexOf(filter, order))}
    ORDER BY ${sql.raw(by)} ${direction}, files.id ${direction}
    LIMIT ${wanted} OFFSET ${isFar ? fromEnd : offset}`.execute(db);
  const ids = rows.map(({ id }) => id);
  return await loadFiles(db, isFar ? ids.reverse() : ids);
}

/** Lists the IDs of matching files, by name, at most `limit`. */
export async function listMatchingIds(db: Db, filter: FileFilter, limit: number): Promise<string[]> {
  const { rows } = await sql<{ readonly id: string }>`SELECT files.id ${matching(filter, ORDERS.name.index)}
    ORDER BY name_order, files.id LIMIT ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

export interface RunFilter {
  readonly ownerId: string;
  readonly runId: string;
}

/** Lists files of a run, newest first. */
export async function listRunFiles(
  db: Db,
  { ownerId, runId }: RunFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<ListedFile[]> {
  const ids = await db
    .selectFrom("files")
    .select("id")
    .where("owner_id", "=", ownerId)
    .where("run_id", "=", runId)
    .where(LISTED)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return await loadFiles(
    db,
    ids.map((row) => row.id),
  );
}

export async function countRunFiles(db: Db, { ownerId, runId }: RunFilter): Promise<number> {
  const { total } = await db
    .selectFrom("files")
    .select((select) => select.fn.countAll<number>().as("total"))
    .where("owner_id", "=", ownerId)
    .where("run_id", "=", runId)
    .where(LISTED)
    .executeTakeFirstOrThrow();
  return total;
}

export interface RunTotals {
  readonly runId: string;
  readonly files: number;
  readonly bytes: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Lists runs of an account, the run with the newest file first. */
export async function listRunTotals(db: Db, ownerId: string, { offset, limit }: { offset: number; limit: number }): Promise<RunTotals[]> {
  const { rows } = await sql<RunTotals>`SELECT run_id AS runId, count(*) AS files, sum(size_bytes) AS bytes,
      min(created_at) AS firstMs, max(created_at) AS lastMs
    FROM files INDEXED BY files_run WHERE owner_id = ${ownerId} AND run_id IS NOT NULL AND ${LISTED}
    GROUP BY run_id ORDER BY lastMs DESC, run_id LIMIT ${limit} OFFSET ${offset}`.execute(db);
  return rows;
}

export async function countRuns(db: Db, ownerId: string): Promise<number> {
  const { rows } = await sql<{ readonly total: number }>`SELECT count(DISTINCT run_id) AS total
    FROM files INDEXED BY files_run WHERE owner_id = ${ownerId} AND run_id IS NOT NULL AND ${LISTED}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** Lists the newest files of an account that a request received. */
export async function listFilesOfRequest(
  db: Db,
  { ownerId, requestId }: { ownerId: string; requestId: string },
  limit: number,
): Promise<ListedFile[]> {
  const ids = await db
    .selectFrom("files")
    .select("id")
    .where("request_id", "=", requestId)
    .where("owner_id", "=", ownerId)
    .where(LISTED)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return await loadFiles(
    db,
    ids.map((row) => row.id),
  );
}

/** Maximum number of files that a search finds, which limits the work of sorting (listing, "Files"). */
export const MAX_FOUND = 10_000;

/** Counts the matching files: at most `MAX_FOUND` for a search, otherwise from the totals per folder. */
export async function countFiles(db: Db, filter: FileFilter): Promise<number> {
  const { ownerId, folderId, words = [] } = filter;
  if (words.length > 0) {
    const found = sql`SELECT 1 ${matching(filter, ORDERS.name.index)} LIMIT ${MAX_FOUND}`;
    const { rows } = await sql<{ readonly total: number }>`SELECT count(*) AS total FROM (${found})`.execute(db);
    return rows[0]?.total ?? 0;
  }
  const { total } = await db
    .selectFrom("folder_totals")
    .select(sql<number>`coalesce(sum(file_count), 0)`.as("total"))
    .where("owner_id", "=", ownerId)
    .$if(folderId !== undefined, (query) => query.where("folder_id", "=", folderId ?? ""))
    .executeTakeFirstOrThrow();
  return total;
}

/** Loads files with their shares, in the order of the IDs. */
export async function loadFiles(db: Db, ids: readonly string[]): Promise<ListedFile[]> {
  if (ids.length === 0) return [];
  const files = await db.selectFrom("files").selectAll().where("id", "in", ids).execute();
  const shortIds = [...new Set(files.map((file) => file.short_id))];
  const shares = await db.selectFrom("shares").selectAll().where("short_id", "in", shortIds).execute();
  const fileOf = new Map(files.map((file) => [file.id, file]));
  const shareOf = new Map(shares.map((share) => [share.short_id, share]));
  return ids.flatMap((id) => {
    const file = fileOf.get(id);
    const share = file && shareOf.get(file.short_id);
    return share ? [{ file, share }] : [];
  });
}

/** A share with the sums of its files. */
export interface ShareInfo
  extends Pick<
    ShareRow,
    | "short_id"
    | "name"
    | "title"
    | "status"
    | "expires_at"
    | "ended_at"
    | "max_downloads"
    | "unlock_hash"
    | "price_cents"
    | "created_at"
    | "owner_id"
    | "is_private"
  > {
  readonly size_bytes: number;
  readonly download_count: number;
  readonly owner_disabled_at: number | null;
  /** Number of active files that are still uploading. */
  readonly uploading: number;
  /** The scan statuses of its active files in the form of `toScanStatus`, separated by commas; null if there are none. */
  readonly scan_statuses: string | null;
}

/** Finds shares by their codes. The code of a file that joined a shipment leads to the shipment. */
export async function readShareInfos(db: Db, codes: readonly string[]): Promise<ReadonlyMap<string, ShareInfo>> {
  const rows = await db
    .selectFrom("shares as requested")
    .innerJoin("shares", (join) => join.on(sql<SqlBool>`shares.short_id = coalesce(requested.redirect_to, requested.short_id)`))
    .leftJoin("users", "users.id", "shares.owner_id")
    .select("requested.short_id as code")
    .select([
      "shares.short_id",
      "shares.name",
      "shares.title",
      "shares.status",
      "shares.expires_at",
      "shares.ended_at",
      "shares.max_downloads",
      "shares.unlock_hash",
      "shares.price_cents",
      "shares.created_at",
      "shares.owner_id",
      "shares.is_private",
      "users.disabled_at as owner_disabled_at",
    ])
    .select(
      sql<number>`(SELECT coalesce(sum(size_bytes), 0) FROM files
        WHERE files.short_id = shares.short_id AND (files.status <> 'deleted' OR shares.status = 'deleted'))`.as("size_bytes"),
    )
    .select(sql<number>`(SELECT coalesce(sum(download_count), 0) FROM files WHERE files.short_id = shares.short_id)`.as("download_count"))
    .select(
      sql<number>`(SELECT count(*) FROM files WHERE files.short_id = shares.short_id AND files.status = 'active' AND blob_state = 'uploading')`.as(
        "uploading",
      ),
    )
    .select(
      sql<string | null>`(SELECT ${SCAN_STATUSES} FROM files WHERE files.short_id = shares.short_id AND files.status = 'active')`.as(
        "scan_statuses",
      ),
    )
    .where("requested.short_id", "in", [...codes])
    .execute();
  return new Map(rows.map((row) => [row.code, row]));
}
