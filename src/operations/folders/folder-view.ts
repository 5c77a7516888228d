import type { Folder } from "../../contract/folders.ts";
import type { FolderWithTotals } from "../../db/folders.ts";
import { toLine } from "../../domain/filename.ts";

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
