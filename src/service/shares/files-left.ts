import { sql } from "kysely";
import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { isStillActive } from "../effective-status.ts";

/** A file of an ended share that its owner still has: its place there, and the oldest open place that has its bytes. */
export interface FileLeft {
  readonly shortId: string;
  /** The path in the ended share. */
  readonly path: FileRow["relative_path"];
  readonly placeId: string;
}

/**
 * Lists the files of ended shares that can be shared again: files with another place in an open share, which are neither deleted, taken down nor
 * blocked (sharing, "Sharing again"). The bytes of the others are removed, or will be in an hour.
 */
export async function listFilesLeft(
  { db, now }: Pick<Ctx, "now"> & { readonly db: Db },
  shortIds: readonly string[],
): Promise<readonly FileLeft[]> {
  if (shortIds.length === 0) return [];
  const { rows } = await sql<FileLeft>`SELECT * FROM (
      SELECT own.short_id AS shortId, own.relative_path AS path, (
        SELECT files.id FROM files JOIN shares ON shares.short_id = files.short_id
        WHERE files.origin_id = own.origin_id AND files.owner_id = own.owner_id AND files.blob_state = 'stored'
          AND files.scan_status <> 'unavailable' AND ${isStillActive}
          AND shares.status = 'active' AND (shares.expires_at IS NULL OR shares.expires_at > ${now()})
        ORDER BY files.placed_at, files.id LIMIT 1) AS placeId
      FROM files AS own JOIN shares AS ended ON ended.short_id = own.short_id
      WHERE own.short_id IN (SELECT value FROM json_each(${JSON.stringify(shortIds)})) AND own.origin_id IS NOT NULL
        AND own.status IN ('active', 'expired') AND (ended.status = 'expired' OR (ended.status = 'active' AND ended.expires_at <= ${now()}))
      ORDER BY own.created_at, own.id)
    WHERE placeId IS NOT NULL`.execute(db);
  return rows;
}
