import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";

/** The states in which a file has bytes in the store, in either area, because a blob may move between listing and look-up. */
export const STATES_WITH_BYTES = ["stored", "quarantined", "removing"] as const;

/** Selects from `keys` the blobs of files in these states. */
export async function keysOfFiles(db: Db, keys: readonly string[], states: readonly FileRow["blob_state"][]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await db.selectFrom("files").select("blob_key").where("blob_key", "in", keys).where("blob_state", "in", states).execute();
  return new Set(rows.map((row) => row.blob_key));
}
