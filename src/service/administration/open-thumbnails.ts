import type { Ctx } from "../../context.ts";
import { type ShownThumbnail, toThumbnailView } from "../thumbnails/open-thumbnail.ts";
import { type AdminFileRow, loadAdminFiles } from "./files-queries.ts";

/** Lists the thumbnails that anybody with the link sees, by the ID of the file. Administrators see no others. */
export async function listOpenThumbnails(ctx: Ctx, fileIds: readonly string[]): Promise<ReadonlyMap<string, ShownThumbnail>> {
  const rows = await loadAdminFiles(ctx.db, fileIds);
  return new Map(
    rows.flatMap((row) => {
      const thumbnail = openThumbnailOf(ctx, row);
      return thumbnail ? [[row.file.id, thumbnail] as const] : [];
    }),
  );
}

/** Returns the thumbnail of a file as anybody with the link sees it. */
export const openThumbnailOf = (ctx: Ctx, { file, share }: AdminFileRow): ShownThumbnail | null =>
  share.unlock_hash === null && share.is_private === 0 ? toThumbnailView(ctx, file, share) : null;
