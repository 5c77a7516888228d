import type { Selectable } from "kysely";

export interface FolderTable {
  id: string;
  owner_id: string;
  parent_id: string | null;
  name: string;
  created_at: number;
  updated_at: number;
}

export type FolderRow = Selectable<FolderTable>;

/** The number and size of a folder's listed files, which triggers maintain. `folder_id` is empty for files in no folder. */
export interface FolderTotalTable {
  owner_id: string;
  folder_id: string;
  file_count: number;
  total_bytes: number;
}
