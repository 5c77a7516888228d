import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { cutToBytes } from "../../lib/text/file-name.ts";
import { countFolders, findFolderByName, insertFolder } from "./folder-queries.ts";
import { MAX_FOLDERS, MAX_LEVELS, MAX_NAME, newFolder, toFolderName } from "./folders.ts";

/**
 * Puts files into the folders of their paths, at the root of their owner's files, and creates the missing ones (folders, "Folders that are sent").
 * Resolves to the folder of each file that has one. If the account cannot have another folder, the file is in the last one of its path that exists.
 */
export async function placeByPath(
  ctx: TransactionCtx,
  { ownerId, files }: { readonly ownerId: string; readonly files: readonly Pick<FileRow, "id" | "relative_path">[] },
): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string | null>([["", null]]);
  const placed = new Map<string, string>();
  for (const { id, relative_path } of files) {
    const folderId = await openFolder(ctx, { ownerId, path: toFolderPath(relative_path ?? ""), known });
    if (folderId !== null) placed.set(id, folderId);
  }
  if (placed.size > 0)
    await sql`UPDATE files SET folder_id = placed.value ->> 1 FROM json_each(${JSON.stringify([...placed])}) AS placed
      WHERE files.id = placed.value ->> 0`.execute(ctx.db);
  return placed;
}

/** Returns the path of the folder that contains a file or folder; empty for the root. */
const toFolderPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

interface WantedFolder {
  readonly ownerId: string;
  readonly path: string;
  /** The folders of the paths that were opened before; null is the root. */
  readonly known: Map<string, string | null>;
}

/** Resolves to the folder of a path; null for the root. */
async function openFolder(ctx: TransactionCtx, { ownerId, path, known }: WantedFolder): Promise<string | null> {
  const opened = known.get(path);
  if (opened !== undefined) return opened;
  const parentId = await openFolder(ctx, { ownerId, path: toFolderPath(path), known });
  const last = path.slice(path.lastIndexOf("/") + 1);
  const name = toFolderName(last.length > MAX_NAME ? cutToBytes(last, MAX_NAME) : last);
  const found = await findFolderByName(ctx.db, { ownerId, parentId, name });
  const id = found?.id ?? (await addFolder(ctx, { ownerId, parentId, name, levels: path.split("/").length })) ?? parentId;
  known.set(path, id);
  return id;
}

interface NewFolder {
  readonly ownerId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly levels: number;
}

/** Resolves to the ID of a new folder; undefined if the account has too many folders, or the folder would be too deep. */
async function addFolder(ctx: TransactionCtx, { ownerId, parentId, name, levels }: NewFolder): Promise<string | undefined> {
  if (levels > MAX_LEVELS || (await countFolders(ctx.db, { ownerId })) >= MAX_FOLDERS) return undefined;
  const folder = newFolder(ctx, { ownerId, parentId, name });
  await insertFolder(ctx.db, folder);
  return folder.id;
}
