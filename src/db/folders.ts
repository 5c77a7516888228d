import { type Expression, type SqlBool, sql } from "kysely";
import { foldName } from "../domain/fold-name.ts";
import type { Db } from "./database.ts";
import { LISTED } from "./listing.ts";
import { oneOf } from "./many.ts";
import type { FolderRow } from "./tables/files.ts";

export interface FolderFilter {
  readonly ownerId: string;
  /** Those right in a folder; null for those in none; undefined for all. */
  readonly parentId?: string | null | undefined;
  /** Of those with one of these ids. */
  readonly ids?: readonly string[] | undefined;
}

export interface FolderWithTotals extends FolderRow {
  readonly file_count: number;
  readonly total_bytes: number;
}

/** A folder of an account. */
export async function findFolder(db: Db, { id, ownerId }: { id: string; ownerId: string }): Promise<FolderWithTotals | undefined> {
  return await withTotals(db).where("folders.id", "=", id).where("folders.owner_id", "=", ownerId).executeTakeFirst();
}

/** Folders by name, a page of them; without `limit`, all. */
export async function listFolders(
  db: Db,
  filter: FolderFilter,
  { offset, limit }: { offset: number; limit: number } = { offset: 0, limit: -1 },
): Promise<FolderWithTotals[]> {
  return await withTotals(db)
    .where(matches(filter))
    .orderBy(sql`folders.name COLLATE NOCASE`)
    .orderBy("folders.id")
    .limit(limit)
    .offset(offset)
    .execute();
}

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

/** Whether `inner` is `outer`, or somewhere inside it. */
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

/** Whether there is anything to see in a folder. */
export async function isEmptyFolder(db: Db, id: string): Promise<boolean> {
  const folder = await db.selectFrom("folders").select("id").where("parent_id", "=", id).limit(1).executeTakeFirst();
  const file = await db.selectFrom("files").select("id").where("folder_id", "=", id).where(LISTED).limit(1).executeTakeFirst();
  return folder === undefined && file === undefined;
}

/** Removes an empty folder; the rows of files that were in it and have gone forget it. */
export async function deleteFolder(db: Db, id: string): Promise<void> {
  await db.updateTable("files").set({ folder_id: null }).where("folder_id", "=", id).execute();
  await db.deleteFrom("folders").where("id", "=", id).execute();
}

function withTotals(db: Db) {
  return db
    .selectFrom("folders")
    .leftJoin("folder_totals", (join) =>
      join.onRef("folder_totals.owner_id", "=", "folders.owner_id").onRef("folder_totals.folder_id", "=", "folders.id"),
    )
    .selectAll("folders")
    .select(sql<number>`coalesce(folder_totals.file_count, 0)`.as("file_count"))
    .select(sql<number>`coalesce(folder_totals.total_bytes, 0)`.as("total_bytes"));
}

function matches({ ownerId, parentId, ids }: FolderFilter): Expression<SqlBool> {
  const owned = sql<SqlBool>`folders.owner_id = ${ownerId}`;
  const within =
    parentId === undefined
      ? sql<SqlBool>`true`
      : parentId === null
        ? sql<SqlBool>`folders.parent_id IS NULL`
        : sql<SqlBool>`folders.parent_id = ${parentId}`;
  const found = ids === undefined ? sql<SqlBool>`true` : sql<SqlBool>`folders.id IN ${oneOf(ids)}`;
  return sql<SqlBool>`${owned} AND ${within} AND ${found}`;
}

/** The folders of an account whose names have `part` in them. Looked for here, since the database knows the cases of ASCII letters alone. */
export async function searchFolders(db: Db, { ownerId, part }: { ownerId: string; part: string }): Promise<string[]> {
  const wanted = foldName(part);
  const folders = await db.selectFrom("folders").select(["id", "name"]).where("owner_id", "=", ownerId).execute();
  return folders.filter(({ name }) => foldName(name).includes(wanted)).map(({ id }) => id);
}
