import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { FolderTree } from "./folder-tree.ts";
import { MAX_LEVELS, toSentFolderName } from "./folders.ts";

/**
 * Puts files into the folders of their paths, at the root of their owner's files, and creates the missing ones (folders, "Folders that are sent").
 * Resolves to the folder of each file that has one. If the account cannot have another folder, the file is in the last one of its path that exists.
 * The number of statements does not depend on the number of files.
 */
export async function placeByPath(
  ctx: TransactionCtx,
  folders: FolderTree,
  files: readonly Pick<FileRow, "id" | "relative_path">[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = files.map(({ id, relative_path }) => ({ id, names: readFolderNames(relative_path ?? "") }));
  await folders.read(new Set(wanted.flatMap(({ names }) => names)));
  const placed = new Map<string, string>();
  for (const { id, names } of wanted) {
    const folderId = openPath(folders, names);
    if (folderId !== null) placed.set(id, folderId);
  }
  await folders.save();
  if (placed.size > 0)
    await sql`UPDATE files SET folder_id = placed.value ->> 1 FROM json_each(${JSON.stringify([...placed])}) AS placed
      WHERE files.id = placed.value ->> 0`.execute(ctx.db);
  return placed;
}

/** Returns the names of the folders in the path of a file, without those that would be too deep. */
function readFolderNames(path: string): readonly string[] {
  const end = path.lastIndexOf("/");
  return end <= 0 ? [] : path.slice(0, end).split("/", MAX_LEVELS).map(toSentFolderName);
}

/** Returns the folder of a path, or the folder above the first one that cannot be created; null for the root. */
function openPath(folders: FolderTree, names: readonly string[]): string | null {
  let folderId: string | null = null;
  for (const name of names) {
    const next = folders.open(folderId, name);
    if (next === undefined) break;
    folderId = next;
  }
  return folderId;
}
