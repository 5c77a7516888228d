import { sql } from "kysely";
import type { Span } from "../domain/range.ts";
import type { Db } from "./database.ts";
import { insertMany } from "./many.ts";
import type { DownloadGrantRow } from "./tables/files.ts";

/** What a signed address of a limited share may still deliver (decisions, "Downloads"). */
export interface NewGrant {
  readonly id: string;
  readonly fileId: string;
  readonly budgetBytes: number;
  readonly expiresAtMs: number;
}

export async function insertGrants(db: Db, grants: readonly NewGrant[]): Promise<void> {
  const toRow = ({ id, fileId, budgetBytes, expiresAtMs }: NewGrant) => ({
    id,
    file_id: fileId,
    budget_bytes: budgetBytes,
    expires_at: expiresAtMs,
  });
  await insertMany(db, "download_grants", grants.map(toRow));
}

export async function findGrant(db: Db, id: string): Promise<DownloadGrantRow | undefined> {
  return await db.selectFrom("download_grants").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Takes bytes from a grant before they are sent; false where it is complete or has not that many left. */
export async function spendGrant(db: Db, id: string, bytes: number): Promise<boolean> {
  const result = await db
    .updateTable("download_grants")
    .set({ budget_bytes: sql`budget_bytes - ${bytes}` })
    .where("id", "=", id)
    .where("completed_at", "is", null)
    .where("budget_bytes", ">=", bytes)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Records what was sent of a grant and gives back what was taken but not sent. */
export async function settleGrant(
  db: Db,
  {
    id,
    refundBytes,
    delivered,
    completedAtMs,
  }: { id: string; refundBytes: number; delivered: readonly Span[]; completedAtMs: number | null },
): Promise<void> {
  await db
    .updateTable("download_grants")
    .set({
      budget_bytes: sql`budget_bytes + ${refundBytes}`,
      delivered: JSON.stringify(delivered),
      completed_at: sql`coalesce(completed_at, ${completedAtMs})`,
    })
    .where("id", "=", id)
    .execute();
}

/** The spans that a grant has delivered. */
export const deliveredSpans = (grant: DownloadGrantRow): Span[] => JSON.parse(grant.delivered);
