import { sql } from "kysely";
import type { Db } from "./database.ts";

export interface Reservation {
  readonly owner: string;
  readonly bytes: number;
  readonly limitBytes: number;
  /** Files that begin with it. */
  readonly files: number;
  readonly limitFiles: number;
}

/** Sets bytes aside for an owner, and counts files; false, and nothing changed, where that would pass a limit. Exact under any concurrency. */
export async function reserveQuota(db: Db, { owner, bytes, limitBytes, files, limitFiles }: Reservation): Promise<boolean> {
  if (bytes > limitBytes || files > limitFiles) return false;
  const result = await db
    .insertInto("quotas")
    .values({ owner, reserved_bytes: bytes, file_count: files })
    .onConflict((conflict) =>
      conflict
        .column("owner")
        .doUpdateSet({
          reserved_bytes: sql`quotas.reserved_bytes + excluded.reserved_bytes`,
          file_count: sql`quotas.file_count + excluded.file_count`,
        })
        .where(sql<boolean>`quotas.used_bytes + quotas.reserved_bytes + excluded.reserved_bytes <= ${limitBytes}`)
        // What has begun may grow, also where a limit was lowered since.
        .where(sql<boolean>`(excluded.file_count = 0 OR quotas.file_count + excluded.file_count <= ${limitFiles})`),
    )
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Turns a reservation into use, of a file that was counted with it. */
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

/** Gives back what was set aside and is not needed: all of it with a file that does not come to be, or a part of it and no file. */
export async function cancelReservation(db: Db, { owner, bytes, files }: { owner: string; bytes: number; files: 0 | 1 }): Promise<void> {
  await db
    .updateTable("quotas")
    .set({ reserved_bytes: sql`max(0, reserved_bytes - ${bytes})`, file_count: sql`max(0, file_count - ${files})` })
    .where("owner", "=", owner)
    .execute();
}

/** What an owner has, or several together. */
export interface QuotaUse {
  readonly usedBytes: number;
  readonly reservedBytes: number;
  readonly files: number;
}

/** What an owner uses and has set aside. */
export async function findQuota(db: Db, owner: string): Promise<QuotaUse> {
  const row = await db.selectFrom("quotas").selectAll().where("owner", "=", owner).executeTakeFirst();
  return { usedBytes: row?.used_bytes ?? 0, reservedBytes: row?.reserved_bytes ?? 0, files: row?.file_count ?? 0 };
}

/** What the owners whose names begin with `prefix` use and have set aside, together. */
export async function sumQuotas(db: Db, prefix: string): Promise<QuotaUse> {
  return await db
    .selectFrom("quotas")
    .select([
      sql<number>`coalesce(sum(used_bytes), 0)`.as("usedBytes"),
      sql<number>`coalesce(sum(reserved_bytes), 0)`.as("reservedBytes"),
      sql<number>`coalesce(sum(file_count), 0)`.as("files"),
    ])
    .where("owner", ">=", prefix)
    .where("owner", "<", `${prefix}\u{10ffff}`)
    .executeTakeFirstOrThrow();
}

/** Forgets owners of that prefix who store nothing. */
export async function removeEmptyQuotas(db: Db, prefix: string): Promise<void> {
  await db
    .deleteFrom("quotas")
    .where("owner", ">=", prefix)
    .where("owner", "<", `${prefix}\u{10ffff}`)
    .where("used_bytes", "=", 0)
    .where("reserved_bytes", "=", 0)
    .where("file_count", "=", 0)
    .execute();
}

/** Gives back what files used that are gone. */
export async function releaseQuota(db: Db, { owner, bytes, files }: { owner: string; bytes: number; files: number }): Promise<void> {
  await db
    .updateTable("quotas")
    .set({ used_bytes: sql`max(0, used_bytes - ${bytes})`, file_count: sql`max(0, file_count - ${files})` })
    .where("owner", "=", owner)
    .execute();
}
