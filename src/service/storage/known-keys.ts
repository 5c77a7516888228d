import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";

/** The states in which a file has bytes in the store, in either area, because a blob may move between listing and look-up. */
export const STATES_WITH_BYTES = ["stored", "quarantined", "removing"] as const;

/**
 * Selects from `keys` the blobs of files in these states; with `quotaOwner`, of files that count for this owner. Reads one entry of an index for each
 * key, however many files have it.
 */
export async function keysOfFiles(
  db: Db,
  keys: readonly string[],
  states: readonly FileRow["blob_state"][],
  quotaOwner?: string,
): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const counts = quotaOwner === undefined ? sql`` : sql`AND quota_owner = ${quotaOwner}`;
  const { rows } = await sql<{
    readonly blob_key: string;
  }>`SELECT value AS blob_key FROM json_each(${JSON.stringify(keys)})
    WHERE EXISTS (SELECT 1 FROM files WHERE blob_key = json_each.value AND blob_state IN (${sql.join(states)}) ${counts})`.execute(db);
  return new Set(rows.map((row) => row.blob_key));
}
