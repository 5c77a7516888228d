import type { Db } from "../../db/database.ts";
import type { ImportRow, NewImport } from "../../db/tables/imports.ts";
import { FIELDS_MADE_UNLISTED, WANTS_PUBLIC_SHARE } from "../shares/pending-settings.ts";

export async function insertImport(db: Db, row: NewImport): Promise<void> {
  await db.insertInto("imports").values(row).execute();
}

export async function findImport(db: Db, id: string): Promise<ImportRow | undefined> {
  return await db.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Counts an owner's imports that have not ended. */
export async function countOpenImports(db: Db, quotaOwner: string): Promise<number> {
  const row = await db
    .selectFrom("imports")
    .select((select) => select.fn.countAll<number>().as("open"))
    .where("quota_owner", "=", quotaOwner)
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  return row.open;
}

/** Updates an open import. Resolves to false if it has ended or is unknown. */
export async function updateOpenImport(db: Db, id: string, update: Partial<Omit<ImportRow, "id">>): Promise<boolean> {
  const result = await db.updateTable("imports").set(update).where("id", "=", id).where("ended_at", "is", null).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Makes the open imports of an account unlisted if their files would be public. */
export async function unlistImports(db: Db, ownerId: string): Promise<void> {
  await db
    .updateTable("imports")
    .set({ publish_fields: FIELDS_MADE_UNLISTED })
    .where("owner_id", "=", ownerId)
    .where("ended_at", "is", null)
    .where(WANTS_PUBLIC_SHARE)
    .execute();
}

/** Deletes the imports that ended at or before `endedByMs`. */
export async function deleteOldImports(db: Db, endedByMs: number): Promise<void> {
  await db.deleteFrom("imports").where("ended_at", "<=", endedByMs).execute();
}
