import { sql } from "kysely";
import type { Db } from "./database.ts";

/** Sets `bytes` aside for an owner; false, and nothing changed, where that would pass `limitBytes`. Exact under any concurrency. */
export async function reserveQuota(
  db: Db,
  { owner, bytes, limitBytes }: { owner: string; bytes: number; limitBytes: number },
): Promise<boolean> {
  if (bytes > limitBytes) return false;
  const result = await db
    .insertInto("quotas")
    .values({ owner, reserved_bytes: bytes })
    .onConflict((conflict) =>
      conflict
        .column("owner")
        .doUpdateSet({ reserved_bytes: sql`quotas.reserved_bytes + excluded.reserved_bytes` })
        .where(sql<boolean>`quotas.used_bytes + quotas.reserved_bytes + excluded.reserved_bytes <= ${limitBytes}`),
    )
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Turns a reservation into use; `usedBytes` 0 gives it back. */
export async function settleQuota(
  db: Db,
  { owner, reservedBytes, usedBytes }: { owner: string; reservedBytes: number; usedBytes: number },
): Promise<void> {
  await db
    .updateTable("quotas")
    .set({ reserved_bytes: sql`max(0, reserved_bytes - ${reservedBytes})`, used_bytes: sql`used_bytes + ${usedBytes}` })
    .where("owner", "=", owner)
    .execute();
}

/** What an owner uses and has set aside. */
export async function findQuota(db: Db, owner: string): Promise<{ readonly usedBytes: number; readonly reservedBytes: number }> {
  const row = await db.selectFrom("quotas").selectAll().where("owner", "=", owner).executeTakeFirst();
  return { usedBytes: row?.used_bytes ?? 0, reservedBytes: row?.reserved_bytes ?? 0 };
}

/** Bytes that the owners whose names begin with `prefix` use or have set aside, together. */
export async function sumQuotas(db: Db, prefix: string): Promise<number> {
  const { bytes } = await db
    .selectFrom("quotas")
    .select(sql<number>`coalesce(sum(used_bytes + reserved_bytes), 0)`.as("bytes"))
    .where("owner", ">=", prefix)
    .where("owner", "<", `${prefix}\u{10ffff}`)
    .executeTakeFirstOrThrow();
  return bytes;
}

/** Forgets owners of that prefix who store nothing. */
export async function removeEmptyQuotas(db: Db, prefix: string): Promise<void> {
  await db
    .deleteFrom("quotas")
    .where("owner", ">=", prefix)
    .where("owner", "<", `${prefix}\u{10ffff}`)
    .where("used_bytes", "=", 0)
    .where("reserved_bytes", "=", 0)
    .execute();
}

/** Gives back the bytes of a file that has gone. */
export async function releaseQuota(db: Db, { owner, bytes }: { owner: string; bytes: number }): Promise<void> {
  await db
    .updateTable("quotas")
    .set({ used_bytes: sql`max(0, used_bytes - ${bytes})` })
    .where("owner", "=", owner)
    .execute();
}
