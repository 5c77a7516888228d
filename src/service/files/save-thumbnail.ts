import type { Db } from "../../db/database.ts";

export interface ThumbnailSize {
  readonly bytes: number;
  /** Width in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Records that a file has a thumbnail. Resolves to false if the file has ended or is no longer clean. */
export async function saveThumbnail(db: Db, fileId: string, { bytes, width, height }: ThumbnailSize): Promise<boolean> {
  const result = await db
    .updateTable("files")
    .set({ thumbnail_bytes: bytes, thumbnail_width: width, thumbnail_height: height })
    .where("id", "=", fileId)
    .where("status", "=", "active")
    .where("blob_state", "=", "stored")
    .where("scan_status", "=", "clean")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
