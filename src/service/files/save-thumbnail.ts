import type { Db } from "../../db/database.ts";

export interface ThumbnailSize {
  readonly bytes: number;
  /** Width in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Records in all places of a blob that it has a thumbnail. Resolves to false if they have ended or are no longer clean. */
export async function saveThumbnail(db: Db, blobKey: string, { bytes, width, height }: ThumbnailSize): Promise<boolean> {
  const result = await db
    .updateTable("files")
    .set({ thumbnail_bytes: bytes, thumbnail_width: width, thumbnail_height: height })
    .where("blob_key", "=", blobKey)
    .where("status", "=", "active")
    .where("blob_state", "=", "stored")
    .where("scan_status", "=", "clean")
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
