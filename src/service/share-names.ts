import { type SqlBool, sql } from "kysely";
import type { Db } from "../db/database.ts";
import { commonFolder, withoutEmptySegments } from "../lib/text/relative-path.ts";

/** What names a share without a title. */
export interface ShareName {
  /** The path of the folder that all its files are in; null if there is none. */
  readonly folder: string | null;
  /** The name of its first file by name. */
  readonly name: string;
  readonly files: number;
  /** Whether a file is encrypted. */
  readonly isEncrypted: boolean;
}

/**
 * The SQL of the first file by name of a group of files, read by `toFirstFile`. Of names with the same order, the smaller one is first. No name
 * contains the separator. SQLite takes other columns from the row of this file only if there is no other minimum or maximum.
 */
export const FIRST_FILE = sql<string>`min(name_order || char(10) || name || char(10) || content_type)`;

export function toFirstFile(first: string): { readonly name: string; readonly contentType: string } {
  const [, name = "", contentType = ""] = first.split("\n");
  return { name, contentType };
}

/** Finds the names of shares, by their short IDs. Deleted files do not count, and shares without other files are absent. */
export async function findShareNames(db: Db, shortIds: readonly string[]): Promise<ReadonlyMap<string, ShareName>> {
  if (shortIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("files")
    .select(["short_id", FIRST_FILE.as("first"), sql<number>`count(*)`.as("files"), sql<number>`sum(is_encrypted)`.as("encrypted")])
    .where("short_id", "in", [...shortIds])
    .where("status", "<>", "deleted")
    .groupBy("short_id")
    .execute();
  const folders = await findCommonFolders(db, shortIds);
  return new Map(
    rows.map(({ short_id, first, files, encrypted }) => [
      short_id,
      { folder: folders.get(short_id) ?? null, name: toFirstFile(first).name, files, isEncrypted: encrypted > 0 },
    ]),
  );
}

/** Returns the name of the only file of a share, or of the folder that all its files are in, otherwise of its first file. */
export const toUntitledName = ({ folder, name, files, isEncrypted }: ShareName): string =>
  folder === null || files === 1 || isEncrypted ? name : folder.split("/").join(" / ");

/**
 * Finds the folder that all files of a share are in, by the short ID of the share. Shares without one are absent. In the order of SQLite, the first
 * and the last path begin with what all paths begin with.
 */
export async function findCommonFolders(db: Db, shortIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (shortIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("files")
    .select("short_id")
    .select([sql<string>`min(relative_path)`.as("first"), sql<string>`max(relative_path)`.as("last")])
    .where("short_id", "in", [...shortIds])
    .where("status", "<>", "deleted")
    .groupBy("short_id")
    .having(sql<SqlBool>`count(relative_path) = count(*)`)
    .execute();
  return new Map(
    rows.flatMap(({ short_id, first, last }) => {
      const folder = commonFolder([first, last].map(withoutEmptySegments));
      return folder === "" ? [] : [[short_id, folder] as const];
    }),
  );
}
