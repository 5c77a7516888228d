import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import { isStillActive } from "../effective-status.ts";
import { decodeBudget, type GrantBudget } from "./grant-budget.ts";

/** Downloads of limited shares by buyers, each of a file once, with a grant. */

/**
 * Returns the SQL that tells whether a buyer's download grant can be used: it is incomplete, or has not expired and has enough bytes left. A
 * negative budget means that an archive is sending the file.
 */
const isUsable = (nowMs: number) => sql<boolean>`(
  download_grants.completed_at IS NULL OR (
    download_grants.expires_at > ${nowMs} AND download_grants.budget_bytes NOT BETWEEN 0 AND (
      SELECT granted.size_bytes - 1 FROM files AS granted WHERE granted.id = download_grants.file_id
    )
  )
)`;

/** Returns the SQL that tells whether the grant of a row of `purchase_downloads` can be used. */
const hasUsableGrant = (nowMs: number) => sql<boolean>`EXISTS (
  SELECT 1 FROM download_grants WHERE download_grants.id = purchase_downloads.grant_id AND ${isUsable(nowMs)}
)`;

/** Returns the SQL that tells whether a row of `purchases` has an active file whose download has not ended. */
export const hasUnusedDownload = (nowMs: number) => sql<boolean>`EXISTS (
  SELECT 1 FROM files
  WHERE files.short_id = purchases.short_id AND ${isStillActive} AND NOT EXISTS (
    SELECT 1 FROM purchase_downloads
    WHERE purchase_downloads.purchase_id = purchases.id AND purchase_downloads.file_id = files.id AND NOT ${hasUsableGrant(nowMs)}
  )
)`;

/** Returns the SQL that tells whether a buyer has begun, and can still use, the download of a row of `files`. */
export const isAwaitedByBuyer = (nowMs: number) => sql<boolean>`EXISTS (
  SELECT 1 FROM purchase_downloads INNER JOIN purchases ON purchases.id = purchase_downloads.purchase_id
  WHERE purchase_downloads.file_id = files.id AND purchases.short_id = files.short_id
    AND purchases.status IN ('paid', 'disputed') AND ${hasUsableGrant(nowMs)}
)`;

/** The download grant of a file. */
export interface FileGrant {
  readonly fileId: string;
  readonly grantId: string;
}

/** Begins the download of each file with a purchase of a limited share. Resolves to false if one has already begun. */
export async function beginPurchaseDownloads(db: Db, purchaseId: string, grants: readonly FileGrant[]): Promise<boolean> {
  const begun = await db
    .insertInto("purchase_downloads")
    .values(grants.map(({ fileId, grantId }) => ({ purchase_id: purchaseId, file_id: fileId, grant_id: grantId })))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return begun.numInsertedOrUpdatedRows === BigInt(grants.length);
}

/** Stores the grants to which the downloads of a purchase have moved. */
export async function movePurchaseDownloads(db: Db, purchaseId: string, grants: readonly FileGrant[]): Promise<void> {
  const moved = grants.map(({ fileId, grantId }) => [fileId, grantId]);
  await sql`UPDATE purchase_downloads SET grant_id = moved.value ->> 1
    FROM json_each(${JSON.stringify(moved)}) AS moved
    WHERE purchase_downloads.purchase_id = ${purchaseId} AND purchase_downloads.file_id = moved.value ->> 0`.execute(db);
}

/** Records that downloads of a purchase are complete, so that they end with their grants. */
export async function completePurchaseDownloads(db: Db, purchaseId: string, fileIds: readonly string[]): Promise<void> {
  await sql`UPDATE purchase_downloads SET ends_at = (SELECT expires_at FROM download_grants WHERE download_grants.id = purchase_downloads.grant_id)
    WHERE purchase_id = ${purchaseId} AND file_id IN ${inJson(fileIds)}`.execute(db);
}

/** Returns, once each, the files of complete bought downloads that have ended. */
export async function takeEndedDownloads(db: TransactionDb, nowMs: number, limit: number): Promise<{ fileId: string }[]> {
  const ended = await db
    .selectFrom("purchase_downloads")
    .select(["purchase_id", "file_id as fileId"])
    .where("ends_at", "<=", nowMs)
    .orderBy("ends_at")
    .limit(limit)
    .execute();
  const rows = ended.map(({ purchase_id, fileId }) => [purchase_id, fileId]);
  await sql`UPDATE purchase_downloads SET ends_at = NULL FROM json_each(${JSON.stringify(rows)})
    WHERE purchase_downloads.purchase_id = json_each.value ->> 0 AND purchase_downloads.file_id = json_each.value ->> 1`.execute(db);
  return ended;
}

/** A begun download of a file in a limited share. */
export interface BegunDownload extends GrantBudget {
  /** The grant's ID; null if the download has ended. */
  readonly grantId: string | null;
  /** Expiry of a complete download's grant; null before completion. */
  readonly endsAtMs: number | null;
}

/** Lists the downloads that a purchase has begun, by the ID of the file. */
export async function listBegunDownloads(
  { db, now }: Pick<Ctx | TransactionCtx, "db" | "now">,
  purchaseId: string,
): Promise<ReadonlyMap<string, BegunDownload>> {
  const rows = await db
    .selectFrom("purchase_downloads")
    .leftJoin("download_grants", (join) => join.onRef("download_grants.id", "=", "purchase_downloads.grant_id").on(isUsable(now())))
    .select(["purchase_downloads.file_id", "download_grants.id", "download_grants.budget_bytes"])
    .select(["download_grants.completed_at", "download_grants.expires_at"])
    .where("purchase_id", "=", purchaseId)
    .execute();
  return new Map(
    rows.map(({ file_id, id, completed_at, expires_at, ...row }) => {
      const endsAtMs = completed_at === null ? null : expires_at;
      return [file_id, { grantId: id, ...decodeBudget(row.budget_bytes ?? 0), endsAtMs }];
    }),
  );
}

/** Returns the files whose download with a purchase has ended. */
export async function listUsedFiles(ctx: Pick<Ctx | TransactionCtx, "db" | "now">, purchaseId: string): Promise<ReadonlySet<string>> {
  return new Set([...(await listBegunDownloads(ctx, purchaseId))].flatMap(([fileId, { grantId }]) => (grantId === null ? [fileId] : [])));
}
