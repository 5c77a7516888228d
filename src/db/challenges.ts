import type { Db } from "./database.ts";
import type { ChallengeRow } from "./tables/accounts.ts";

export async function insertChallenge(db: Db, challenge: Omit<ChallengeRow, "used_at">): Promise<void> {
  await db.insertInto("challenges").values(challenge).execute();
}

export async function findChallenge(db: Db, id: string): Promise<ChallengeRow | undefined> {
  return await db.selectFrom("challenges").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Uses a challenge up; false where another registration was first. */
export async function spendChallenge(db: Db, id: string, nowMs: number): Promise<boolean> {
  const result = await db
    .updateTable("challenges")
    .set({ used_at: nowMs })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Forgets challenges that expired before `beforeMs`. */
export async function removeChallenges(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom("challenges").where("expires_at", "<", beforeMs).execute();
}
