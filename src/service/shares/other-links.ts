import { sql } from "kysely";
import type { Ctx } from "../../context.ts";

/** Maximum number of places of each share's files that are counted, because files may be many and in many shares. */
const MAX_PLACES = 1000;

/**
 * Counts the other links that have files of shares too, by the short ID of the share. Shares without any are absent. A share whose files have more than
 * 1,000 other places may have more links than the number says.
 */
export async function countOtherLinks(
  { db, now }: Pick<Ctx, "db" | "now">,
  shortIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ readonly shortId: string; readonly links: number }>`SELECT value AS shortId,
      (SELECT count(DISTINCT short_id) FROM (
        SELECT other.short_id FROM files AS own CROSS JOIN files AS other INDEXED BY files_places CROSS JOIN shares
        WHERE own.short_id = value AND own.status = 'active' AND own.origin_id IS NOT NULL
          AND other.origin_id = own.origin_id AND other.origin_id IS NOT NULL AND other.status = 'active' AND other.short_id <> value
          AND shares.short_id = other.short_id AND shares.status = 'active' AND shares.is_private = 0
          AND (shares.expires_at IS NULL OR shares.expires_at > ${now()})
        LIMIT ${MAX_PLACES})) AS links
    FROM json_each(${JSON.stringify(shortIds)})`.execute(db);
  return new Map(rows.flatMap(({ shortId, links }) => (links > 0 ? [[shortId, links] as const] : [])));
}
