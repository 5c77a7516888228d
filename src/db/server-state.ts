import type { Db } from "./database.ts";

/** Values that the server stores between starts. */
export type ServerStateName =
  | "clock"
  | "digest_reading"
  | "scanner_seen"
  | "scanner_window_bytes"
  | "secret_checks"
  | "storage_copy_disk"
  | "storage_copy_s3"
  | "store_pair_disk"
  | "store_pair_s3"
  | "unknown_client_address";

/** Finds a stored value; undefined if there is none. */
export async function findServerState(db: Db, name: ServerStateName): Promise<string | undefined> {
  const row = await db.selectFrom("server_state").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value;
}

export async function saveServerState(db: Db, name: ServerStateName, value: string): Promise<void> {
  await db
    .insertInto("server_state")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}
