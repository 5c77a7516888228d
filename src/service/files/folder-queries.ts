import { type Expression, type SqlBool, sql } from "kysely";
import { inJson } from "../../db/bulk.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import type { FolderRow } from "../../db/tables/folders.ts";
import { type AppError, notFound } from "../../errors.ts";
import { toNameKeys } from "../../lib/text/file-name.ts";
import { normalizeName } from "../../lib/text/stored-name.ts";
import { foldersInside, LISTED } from "./listing-queries.ts";

export interface FolderFilter {
  readonly ownerId: string;
  /** Limits the list to folders directly in this one; null: folders at the root; undefined: all folders. */
  readonly parentId?: string | null | undefined;
  /** Limits the list to folders with these IDs. */
  readonly ids?: readonly string[] | undefined;
}

export interface FolderWithTotals extends FolderRow {
  readonly file_count: number;
  readonly folder_count: number;
  readonly total_bytes: number;
}

/** Finds a folder of an account. */
export async function findFolderRow(db: Db, { id, ownerId }: { id: string; ownerId: string }): Promise<FolderWithTotals | undefined> {
  return await withTotals(db).where("folders.id", "=", id).where("folders.owner_id", "=", ownerId).executeTakeFirst();
}

/** Lists the folders of an account that have exactly one of these names; all its folders without names. */
export async function listNamedFolders(
  db: Db,
  ownerId: string,
  names?: readonly string[],
): Promise<readonly Pick<FolderRow, "id" | "name" | "parent_id">[]> {
  return await db
    .selectFrom("folders")
    .select(["id", "name", "parent_id"])
    .where("owner_id", "=", ownerId)
    .$if(names !== undefined, (query) => query.where("name", "in", inJson(names ?? [])))
    .execute();
}

/**
 * Lists one page of folders by name, in the order of files (`toNameKeys`); all folders by default. Does not sort in SQL, because SQLite compares
 * numbers in names by their digits.
 */
export async function listFolderPage(
  db: Db,
  filter: FolderFilter,
  { offset, limit }: { offset: number; limit: number } = { offset: 0, limit: Number.POSITIVE_INFINITY },
): Promise<FolderWithTotals[]> {
  const folders = await db.selectFrom("folders").select(["id", "name"]).where(matches(filter)).execute();
  const ids = sortByName(folders)
    .slice(offset, offset + limit)
    .map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await withTotals(db).where("folders.id", "in", inJson(ids)).where("folders.owner_id", "=", filter.ownerId).execute();
  return sortByName(rows);
}

/** Sorts folders by name as files are sorted, and folders with the same name by ID. */
function sortByName<Folder extends Pick<FolderRow, "id" | "name">>(folders: readonly Folder[]): Folder[] {
  return folders
    .map((folder) => ({ folder, order: toNameKeys(folder.name).name_order }))
    .sort((one, other) => compare(one.order, other.order) || compare(one.folder.id, other.folder.id))
    .map(({ folder }) => folder);
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export async function countFolders(db: Db, filter: FolderFilter): Promise<number> {
  const { total } = await db
    .selectFrom("folders")
    .select((select) => select.fn.countAll<number>().as("total"))
    .where(matches(filter))
    .executeTakeFirstOrThrow();
  return total;
}

export async function insertFolder(db: Db, folder: FolderRow): Promise<void> {
  await db.insertInto("folders").values(folder).execute();
}

export async function updateFolder(
  db: Db,
  id: string,
  change: Pick<FolderRow, "updated_at"> & Partial<Pick<FolderRow, "name" | "parent_id">>,
) {
  await db.updateTable("folders").set(change).where("id", "=", id).execute();
}

/** Returns whether `inner` is `outer` or a folder at any depth inside it. */
export async function isInside(db: Db, inner: string, outer: string): Promise<boolean> {
  const row = await db
    .withRecursive("chain", (chain) =>
      chain
        .selectFrom("folders")
        .select(["id", "parent_id"])
        .where("id", "=", inner)
        .union((next) =>
          next.selectFrom("folders").innerJoin("chain", "chain.parent_id", "folders.id").select(["folders.id", "folders.parent_id"]),
        ),
    )
    .selectFrom("chain")
    .select("id")
    .where("id", "=", outer)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the number of levels from the root to a folder, including the folder; 1 for a folder at the root. */
export async function countLevelsAbove(db: Db, id: string): Promise<number> {
  const { rows } = await sql<{ readonly levels: number }>`
    WITH RECURSIVE chain (id, levels) AS (
      SELECT ${id}, 1
      UNION ALL
      SELECT folders.parent_id, chain.levels + 1 FROM folders JOIN chain ON folders.id = chain.id WHERE folders.parent_id IS NOT NULL
    )
    SELECT max(levels) AS levels FROM chain`.execute(db);
  return rows[0]?.levels ?? 1;
}

/** Returns the number of levels from a folder to its deepest folder, including the folder; 1 for a folder without folders. */
export async function countLevelsBelow(db: Db, id: string): Promise<number> {
  const { rows } = await sql<{ readonly levels: number }>`
    WITH RECURSIVE inside (id, levels) AS (
      SELECT ${id}, 1
      UNION ALL
      SELECT folders.id, inside.levels + 1 FROM folders JOIN inside ON folders.parent_id = inside.id
    )
    SELECT max(levels) AS levels FROM inside`.execute(db);
  return rows[0]?.levels ?? 1;
}

/** Lists the folders from the root to a folder, including that folder. */
export async function listPath(db: Db, { id, ownerId }: { id: string; ownerId: string }): Promise<Pick<FolderRow, "id" | "name">[]> {
  return await db
    .withRecursive("chain", (chain) =>
      chain
        .selectFrom("folders")
        .select(["id", "parent_id", "name"])
        .select(sql<number>`0`.as("depth"))
        .where("id", "=", id)
        .where("owner_id", "=", ownerId)
        .unionAll((next) =>
          next
            .selectFrom("folders")
            .innerJoin("chain", "chain.parent_id", "folders.id")
            .select(["folders.id", "folders.parent_id", "folders.name"])
            .select(sql<number>`chain.depth + 1`.as("depth")),
        ),
    )
    .selectFrom("chain")
    .select(["id", "name"])
    .orderBy("depth", "desc")
    .execute();
}

/** Checks that folders belong to an account. Throws NOT_FOUND. */
export async function checkOwnFolders(db: Db, ownerId: string, ids: readonly string[]): Promise<void> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return;
  const found = await db.selectFrom("folders").select("id").where("id", "in", inJson(wanted)).where("owner_id", "=", ownerId).execute();
  if (found.length < wanted.length) throw folderNotFound();
}

export const folderNotFound = (): AppError => notFound("folder", "List your folders to find its ID.", "in your account");

/** Returns whether a folder has neither folders nor listed files. */
export async function isEmptyFolder(db: Db, id: string): Promise<boolean> {
  const folder = await db.selectFrom("folders").select("id").where("parent_id", "=", id).limit(1).executeTakeFirst();
  const file = await db.selectFrom("files").select("id").where("folder_id", "=", id).where(LISTED).limit(1).executeTakeFirst();
  return folder === undefined && file === undefined;
}

/** Deletes folders that contain no other folder. The rows of files in them lose their folder. */
export async function deleteFolderRows(db: TransactionDb, ids: readonly string[]): Promise<void> {
  await db.updateTable("files").set({ folder_id: null }).where("folder_id", "in", inJson(ids)).execute();
  await db.deleteFrom("folders").where("id", "in", inJson(ids)).execute();
}

/** Lists the IDs of a folder and of the folders inside it, at every depth. */
export async function listInside(db: Db, id: string): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly id: string }>`${foldersInside(id)}`.execute(db);
  return rows.map((folder) => folder.id);
}

function withTotals(db: Db) {
  return db
    .selectFrom("folders")
    .leftJoin("folder_totals", (join) =>
      join.onRef("folder_totals.owner_id", "=", "folders.owner_id").onRef("folder_totals.folder_id", "=", "folders.id"),
    )
    .selectAll("folders")
    .select(sql<number>`coalesce(folder_totals.file_count, 0)`.as("file_count"))
    .select(sql<number>`coalesce(folder_totals.total_bytes, 0)`.as("total_bytes"))
    .select(sql<number>`(SELECT count(*) FROM folders AS inside WHERE inside.parent_id = folders.id)`.as("folder_count"));
}

function matches({ ownerId, parentId, ids }: FolderFilter): Expression<SqlBool> {
  const owned = sql<SqlBool>`folders.owner_id = ${ownerId}`;
  const within =
    parentId === undefined
      ? sql<SqlBool>`true`
      : parentId === null
        ? sql<SqlBool>`folders.parent_id IS NULL`
        : sql<SqlBool>`folders.parent_id = ${parentId}`;
  const found = ids === undefined ? sql<SqlBool>`true` : sql<SqlBool>`folders.id IN ${inJson(ids)}`;
  return sql<SqlBool>`${owned} AND ${within} AND ${found}`;
}

/** Finds the IDs of folders whose names contain `part` in any case. Does not use SQL, because SQLite folds only ASCII letters. */
export async function searchFolders(db: Db, { ownerId, part }: { ownerId: string; part: string }): Promise<string[]> {
  const wanted = normalizeName(part);
  const folders = await db.selectFrom("folders").select(["id", "name"]).where("owner_id", "=", ownerId).execute();
  return folders.filter(({ name }) => normalizeName(name).includes(wanted)).map(({ id }) => id);
}
