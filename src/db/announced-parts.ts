import type { Db } from "./database.ts";
import type { AnnouncedPartRow } from "./tables/uploads.ts";

/** How many rows go into one statement: SQLite takes 32,766 values. */
const ROWS = 500;

/** Records what parts are to be, in place of what was announced of them before. */
export async function saveAnnounced(db: Db, parts: readonly AnnouncedPartRow[]): Promise<void> {
  for (let at = 0; at < parts.length; at += ROWS) {
    await db
      .insertInto("announced_parts")
      .values(parts.slice(at, at + ROWS))
      .onConflict((conflict) =>
        conflict.columns(["file_id", "part_number"]).doUpdateSet((set) => ({
          size_bytes: set.ref("excluded.size_bytes"),
          start_byte: set.ref("excluded.start_byte"),
          sha256: set.ref("excluded.sha256"),
        })),
      )
      .execute();
  }
}

/** In order; none where all bytes of the file came through a server. */
export async function listAnnounced(db: Db, fileId: string): Promise<AnnouncedPartRow[]> {
  return await db.selectFrom("announced_parts").selectAll().where("file_id", "=", fileId).orderBy("part_number").execute();
}

export async function hasAnnounced(db: Db, fileId: string): Promise<boolean> {
  return (await db.selectFrom("announced_parts").select("file_id").where("file_id", "=", fileId).limit(1).executeTakeFirst()) !== undefined;
}

export async function removeAnnounced(db: Db, fileId: string): Promise<void> {
  await db.deleteFrom("announced_parts").where("file_id", "=", fileId).execute();
}
