import type { Db } from "./database.ts";

/** What the server remembers of itself between starts. */
export type RememberedName = "scanner_seen" | "scanner_window_bytes" | "storage_copy_disk" | "storage_copy_s3";

/** Undefined where nothing was remembered. */
export async function findSetting(db: Db, name: RememberedName): Promise<string | undefined> {
  const row = await db.selectFrom("settings").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value;
}

export async function saveSetting(db: Db, name: RememberedName, value: string): Promise<void> {
  await db
    .insertInto("settings")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}
