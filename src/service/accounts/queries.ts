import type { Db } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { ApiKeyRow, ChallengeRow, NewApiKeyRow } from "../../db/tables/accounts.ts";

export async function insertKey(db: Db, key: NewApiKeyRow): Promise<void> {
  await db.insertInto("api_keys").values(key).execute();
}

/** Lists an account's keys that are not revoked, oldest first. */
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

/** Returns whether a key exists and is not revoked. Does not check whether its account is disabled. */
export async function isLiveKey(db: Db, id: string): Promise<boolean> {
  const key = await db.selectFrom("api_keys").select("id").where("id", "=", id).where("revoked_at", "is", null).executeTakeFirst();
  return key !== undefined;
}

/** Returns whether an account's consent to an application still exists. */
export async function isLiveConsent(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom("oauth_consents").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}

/** Updates a key of an account and returns the new row; undefined for an unknown or revoked key. */
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

export async function insertChallenge(db: Db, challenge: Omit<ChallengeRow, "used_at">): Promise<void> {
  await db.insertInto("challenges").values(challenge).execute();
}

export async function findChallenge(db: Db, id: string): Promise<ChallengeRow | undefined> {
  return await db.selectFrom("challenges").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Marks a challenge as used. Resolves to false if it was used before. */
export async function markChallengeUsed(db: Db, id: string, nowMs: number): Promise<boolean> {
  const result = await db
    .updateTable("challenges")
    .set({ used_at: nowMs })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Deletes challenges that expired before `beforeMs`. */
export async function deleteOldChallenges(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom("challenges").where("expires_at", "<", beforeMs).execute();
}

/** Selects the columns that decide an account's tier. The query is prepared, because every request for a share runs it. */
export const ownerTierQuery = preparedQuery((db, { userId }: { userId: string }) =>
  db.selectFrom("users").select(["tier", "pro_until"]).where("id", "=", userId),
);
