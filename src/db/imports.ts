import type { Db } from "./database.ts";
import type { ImportRow, NewImport } from "./tables/uploads.ts";

export async function insertImport(db: Db, row: NewImport): Promise<void> {
  await db.insertInto("imports").values(row).execute();
}

export async function findImport(db: Db, id: string): Promise<ImportRow | undefined> {
  return await db.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Imports of one owner that are not over. */
export async function countOpenImports(db: Db, quotaOwner: string): Promise<number> {
  const row = await db
    .selectFrom("imports")
    .select((select) => select.fn.countAll<number>().as("open"))
    .where("quota_owner", "=", quotaOwner)
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  return row.open;
}

export type ImportUpdate = Partial<Omit<ImportRow, "id">>;

/** Writes to an import that is not over; false, and nothing changed, where it is over or unknown. */
export async function updateOpenImport(db: Db, id: string, update: ImportUpdate): Promise<boolean> {
  const result = await db.updateTable("imports").set(update).where("id", "=", id).where("ended_at", "is", null).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Forgets imports that were over by then. */
export async function removeOldImports(db: Db, endedByMs: number): Promise<void> {
  await db.deleteFrom("imports").where("ended_at", "<=", endedByMs).execute();
}
