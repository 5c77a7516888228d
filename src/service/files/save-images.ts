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

/** Records the images that were made of a blob in all its places. Resolves to false if they have ended or are no longer clean. */
export async function saveImages(db: Db, blobKey: string, images: Pick<FileRow, ImageColumn>): Promise<boolean> {
  const result = await db
    .updateTable("files")
    .set(images)
    .where("blob_key", "=", blobKey)
    // Places that have ended have the sizes too, because the last one that is removed removes the images.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("files as active").select("active.id").where("active.blob_key", "=", blobKey).where("active.status", "=", "active"),
      ),
    )
    .where("blob_state", "=", "stored")
    .where("scan_status", "=", "clean")
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
