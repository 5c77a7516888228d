import type { Generated, Selectable } from "kysely";

export interface DownloadGrantTable {
  id: string;
  file_id: string;
  budget_bytes: number;
  sent_spans: Generated<string>;
  completed_at: number | null;
  expires_at: number;
}

export type DownloadGrantRow = Selectable<DownloadGrantTable>;

/** The files that an account chose to download as one ZIP, until its URL expires. */
export interface OwnerArchiveTable {
  id: string;
  owner_id: string;
  /** Name of the ZIP, without `.zip`. */
  name: string;
  /** The files in JSON: pairs of a file's ID and its path in the ZIP; a null path means its name. */
  files: string;
  expires_at: number;
}
