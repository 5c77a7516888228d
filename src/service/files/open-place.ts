/** Between the expiry of a share and its cleanup, a file is shown by another place whose share is still open. */
import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import { isActive } from "../shares/share-state.ts";
import { type ListedFile, loadFiles } from "./listing-queries.ts";

/** The ID of the place by which a row of `files` is shown: its own, or if its share has expired, the oldest open place; null without one. */
export const shownPlaceId = (nowMs: number): RawBuilder<string | null> => sql`iif(
  EXISTS (SELECT 1 FROM shares WHERE shares.short_id = files.short_id AND shares.expires_at <= ${nowMs}),
  (SELECT place.id FROM files AS place JOIN shares ON shares.short_id = place.short_id
    WHERE place.origin_id = files.origin_id AND place.status = 'active' AND (shares.expires_at IS NULL OR shares.expires_at > ${nowMs})
    ORDER BY place.placed_at, place.id LIMIT 1),
  files.id)`;

/** Returns the IDs of the places by which files are shown. The list keeps a file without an open place until the cleanup. */
export async function toShownIds({ db, now }: Pick<Ctx, "db" | "now">, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ readonly id: string; readonly shown: string | null }>`SELECT id, ${shownPlaceId(now())} AS shown
    FROM files WHERE id IN ${inJson(ids)} AND origin_id IS NOT NULL`.execute(db);
  const shownIds = new Map(rows.map(({ id, shown }) => [id, shown]));
  return ids.map((id) => shownIds.get(id) ?? id);
}

/** Shows files by their open places. */
export async function preferOpenPlaces(ctx: Pick<Ctx, "db" | "now">, files: readonly ListedFile[]): Promise<readonly ListedFile[]> {
  const over = files.filter(({ file, share }) => file.origin_id !== null && file.status === "active" && !isActive(ctx, share));
  if (over.length === 0) return files;
  const ids = over.map(({ file }) => file.id);
  const shownIds = await toShownIds(ctx, ids);
  const loaded = new Map((await loadFiles(ctx.db, shownIds)).map((listed) => [listed.file.id, listed]));
  const shown = new Map(ids.map((id, index) => [id, loaded.get(shownIds[index] ?? id)]));
  return files.map((listed) => shown.get(listed.file.id) ?? listed);
}
