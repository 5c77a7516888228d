import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";

type ImageColumn =
  | "thumbnail_bytes"
  | "thumbnail_width"
  | "thumbnail_height"
  | "image_width"
  | "image_height"
  | "image_placeholder"
  | "reduced_bytes";

/** Records the images that were made of a file. Resolves to false if the file has ended or is no longer clean. */
export async function saveImages(db: Db, fileId: string, images: Pick<FileRow, ImageColumn>): Promise<boolean> {
  const result = await db
    .updateTable("files")
    .set(images)
    .where("id", "=", fileId)
    .where("status", "=", "active")
    .where("blob_state", "=", "stored")
    .where("scan_status", "=", "clean")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
