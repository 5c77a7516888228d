import type { Folder } from "../../contract/folders.ts";
import type { Db } from "../../db/database.ts";
import { type FolderWithTotals, findFolder } from "../../db/folders.ts";
import { toLine } from "../../domain/filename.ts";
import { AppError } from "../../errors.ts";

/** A folder as its owner sees it; without its totals in the results of a search. */
export function toFolderView(folder: FolderWithTotals, { totals }: { totals: boolean } = { totals: true }): Folder {
  return {
    id: folder.id,
    name: folder.name,
    parent_id: folder.parent_id,
    ...(totals && { file_count: folder.file_count, total_size: folder.total_bytes }),
    created_at: new Date(folder.created_at).toISOString(),
    updated_at: new Date(folder.updated_at).toISOString(),
  };
}

/** A folder's name as it is kept and shown: one line, never empty. */
export const toFolderName = (raw: string): string => toLine(raw) || "folder";

/** A folder of an account. Throws NOT_FOUND, also for someone else's. */
export async function getFolder(db: Db, which: { id: string; ownerId: string }): Promise<FolderWithTotals> {
  const folder = await findFolder(db, which);
  if (folder) return folder;
  throw new AppError("NOT_FOUND", "There is no such folder in your account. List your folders to find its id.");
}
