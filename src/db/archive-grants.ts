import { sql } from "kysely";
import type { Db } from "./database.ts";
import { oneOf } from "./many.ts";

/** Of a grant that a transfer holds: nobody else can take it, and where the process dies, nobody ever can. */
const TAKEN = -1;

/** What one file of a limited archive may still deliver. */
export interface ArchiveGrant {
  readonly fileId: string;
  readonly budgetBytes: number;
}

/** How a file's transfer left its grant: with bytes for another try, or complete. */
export interface SettledGrant extends ArchiveGrant {
  readonly completedAtMs: number | null;
}

/** Names the grant of one file of a limited archive. */
export const archiveGrantId = (archiveId: string, fileId: string): string => `${archiveId}-${fileId}`;

/** The grants of an archive that are neither complete nor taken. */
export async function listOpenGrants(db: Db, archiveId: string): Promise<ArchiveGrant[]> {
  return await db
    .selectFrom("download_grants")
    .select(["file_id as fileId", "budget_bytes as budgetBytes"])
    .where("id", ">", archiveGrantId(archiveId, ""))
    // The sign after the hyphen.
    .where("id", "<", `${archiveId}.`)
    .where("completed_at", "is", null)
    .where("budget_bytes", ">=", 0)
    .execute();
}

/** Takes grants that `listOpenGrants` has found in the same transaction. */
export async function takeOpenGrants(db: Db, archiveId: string, fileIds: readonly string[]): Promise<void> {
  await db
    .updateTable("download_grants")
    .set({ budget_bytes: TAKEN })
    .where("id", "in", oneOf(fileIds.map((fileId) => archiveGrantId(archiveId, fileId))))
    .execute();
}

/** Gives taken grants back as their transfer has left them. */
export async function settleTakenGrants(db: Db, archiveId: string, grants: readonly SettledGrant[]): Promise<void> {
  const rows = grants.map(({ fileId, budgetBytes, completedAtMs }) => [archiveGrantId(archiveId, fileId), budgetBytes, completedAtMs]);
  await sql`UPDATE download_grants SET budget_bytes = settled.value ->> 1, completed_at = settled.value ->> 2
    FROM json_each(${JSON.stringify(rows)}) AS settled
    WHERE download_grants.id = settled.value ->> 0 AND download_grants.budget_bytes = ${TAKEN}`.execute(db);
}
