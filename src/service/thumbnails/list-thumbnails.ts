import type { Ctx } from "../../context.ts";
import { isStillActive } from "../effective-status.ts";
import { FIRST_FILE } from "../share-names.ts";
import { type FoundShare, findShares } from "../shares/queries.ts";
import { mustWait, type ShownThumbnail, toThumbnailView } from "./open-thumbnail.ts";

/** Lists the first thumbnail of each share by name, by short ID, for a person who may see its files (thumbnails, "Who sees them"). */
export async function listThumbnails(ctx: Ctx, shortIds: readonly string[]): Promise<ReadonlyMap<string, ShownThumbnail>> {
  if (!ctx.config.thumbnails || shortIds.length === 0) return new Map();
  const files = await ctx.db
    .selectFrom("files")
    .selectAll()
    .select(FIRST_FILE.as("first"))
    .where("short_id", "in", [...shortIds])
    .where(isStillActive)
    .where("scan_status", "=", "clean")
    .where("thumbnail_bytes", "is not", null)
    .groupBy("short_id")
    .execute();
  const shares = new Map<string, FoundShare>(
    (
      await findShares(
        ctx.db,
        files.map(({ short_id }) => short_id),
      )
    ).map((share) => [share.short_id, share]),
  );
  return new Map(
    files.flatMap((file) => {
      const share = shares.get(file.short_id);
      const thumbnail = share && toThumbnailView(ctx, file, share);
      return thumbnail ? [[file.short_id, thumbnail] as const] : [];
    }),
  );
}

/** Lists thumbnails for everybody except the owner. Empty if the server makes recipients wait before downloads. */
export async function listPublicThumbnails(ctx: Ctx, shortIds: readonly string[]): Promise<ReadonlyMap<string, ShownThumbnail>> {
  const [first] = await findShares(ctx.db, shortIds.slice(0, 1));
  return first === undefined || (await mustWait(ctx, first)) ? new Map() : await listThumbnails(ctx, shortIds);
}
