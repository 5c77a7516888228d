import type { Db } from "./database.ts";
import type { ApiKeyRow, NewApiKeyRow } from "./tables/accounts.ts";

export async function insertKey(db: Db, key: NewApiKeyRow): Promise<void> {
  await db.insertInto("api_keys").values(key).execute();
}

/** The keys of an account that work, oldest first. */
export async function listLiveKeys(db: Db, ownerId: string): Promise<ApiKeyRow[]> {
  return await db
    .selectFrom("api_keys")
    .selectAll()
    .where("owner_id", "=", ownerId)
    .where("revoked_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** Whether a key still works, as far as it is concerned itself. */
export async function isLiveKey(db: Db, id: string): Promise<boolean> {
  const key = await db.selectFrom("api_keys").select("id").where("id", "=", id).where("revoked_at", "is", null).executeTakeFirst();
  return key !== undefined;
}

/** Changes a key of an account that works, and answers it as it is then; undefined where there is none. */
export async function updateLiveKey(
  db: Db,
  { id, ownerId }: { id: string; ownerId: string },
  change: Partial<Pick<ApiKeyRow, "prefix" | "salt" | "hash" | "last_used_at" | "revoked_at">>,
): Promise<ApiKeyRow | undefined> {
  return await db
    .updateTable("api_keys")
    .set(change)
    .where("id", "=", id)
    .where("owner_id", "=", ownerId)
    .where("revoked_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}
