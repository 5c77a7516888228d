import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { PurchaseRow } from "../../db/tables/selling.ts";
import { DAY_MS } from "../../lib/duration.ts";
import { hashToken } from "../../lib/secrets.ts";

/** Checkouts and purchases, whose rows outlive their shares (selling, "Purchases"). */

/** How long the row of a checkout that nobody paid remains. */
const ENDED_RETENTION_MS = 7 * DAY_MS;

export async function insertPurchase(
  db: Db,
  purchase: Pick<PurchaseRow, "id" | "short_id" | "seller_id" | "amount_cents" | "fee_cents" | "language" | "created_at" | "expires_at">,
): Promise<void> {
  await db
    .insertInto("purchases")
    .values({
      ...purchase,
      check_at: purchase.expires_at,
      session_id: null,
      payment_id: null,
      token_hash: null,
      paid_at: null,
      ended_at: null,
    })
    .execute();
}

export async function findPurchase(db: Db, id: string): Promise<PurchaseRow | undefined> {
  return await db.selectFrom("purchases").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function findPurchaseBySession(db: Db, sessionId: string): Promise<PurchaseRow | undefined> {
  return await db.selectFrom("purchases").selectAll().where("session_id", "=", sessionId).executeTakeFirst();
}

export async function findPurchaseByPayment(db: Db, paymentId: string): Promise<PurchaseRow | undefined> {
  return await db.selectFrom("purchases").selectAll().where("payment_id", "=", paymentId).executeTakeFirst();
}

const tokenQuery = preparedQuery((db, { hash }: { hash: string }) => db.selectFrom("purchases").selectAll().where("token_hash", "=", hash));

/** The purchase whose token this is, if it is paid and of a share; null otherwise. `shortIds`: the share, and those whose files joined it. */
export async function findPaid(db: Db, token: string, shortId: string): Promise<PurchaseRow | undefined> {
  const purchase = await tokenQuery.first(db, { hash: hashToken(token) });
  return purchase?.status === "paid" && purchase.short_id === shortId ? purchase : undefined;
}

/**
 * The token of a purchase: the same each time, and derived from the server's secret, so that it is nowhere stored. `session`: the ID of its
 * checkout.
 */
export const toPurchaseToken = ({ keyring }: Pick<Ctx, "keyring">, { id, session_id }: Pick<PurchaseRow, "id" | "session_id">): string =>
  `pu_${keyring.sign(JSON.stringify(["purchase", id, session_id]))}`;

export async function updatePurchase(db: Db, id: string, change: Partial<PurchaseRow>): Promise<void> {
  await db.updateTable("purchases").set(change).where("id", "=", id).execute();
}

/**
 * The largest number of downloads of a file of a limited share that are used or promised: those that were counted, and those of purchases that
 * have not used theirs, paid or not. 0 without files.
 */
export async function countTaken(db: Db, shortId: string): Promise<number> {
  const row = await db
    .selectFrom("files")
    .select(sql<number | null>`max(download_count + ${promisedTo(sql.ref("files.id"), shortId)})`.as("taken"))
    .where("short_id", "=", shortId)
    .where("status", "=", "active")
    .executeTakeFirst();
  return row?.taken ?? 0;
}

/** SQL: the purchases of a share that have not used their download of a file. */
export const promisedTo = (fileId: ReturnType<typeof sql.ref>, shortId: string) => sql<number>`(
  SELECT count(*) FROM purchases
  WHERE purchases.short_id = ${shortId} AND purchases.status IN ('open', 'paid')
    AND NOT EXISTS (
      SELECT 1 FROM purchase_downloads
      WHERE purchase_downloads.purchase_id = purchases.id AND purchase_downloads.file_id = ${fileId}
    )
)`;

/** Uses the one download of each file that a purchase of a limited share has. False if one of them is used. */
export async function usePurchase(db: Db, purchaseId: string, fileIds: readonly string[]): Promise<boolean> {
  const used = await db
    .insertInto("purchase_downloads")
    .values(fileIds.map((file_id) => ({ purchase_id: purchaseId, file_id })))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return used.numInsertedOrUpdatedRows === BigInt(fileIds.length);
}

/** The files for which a purchase has used its download. */
export async function listUsed(db: Db, purchaseId: string): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom("purchase_downloads").select("file_id").where("purchase_id", "=", purchaseId).execute();
  return new Set(rows.map(({ file_id }) => file_id));
}

/** Open checkouts whose time is over and that are due, the longest waiting first: the payment platform knows what became of them. */
export async function listDue(db: Db, nowMs: number, limit: number): Promise<PurchaseRow[]> {
  return await db
    .selectFrom("purchases")
    .selectAll()
    .where("status", "=", "open")
    .where("check_at", "<=", nowMs)
    .orderBy("check_at")
    .limit(limit)
    .execute();
}

/** Deletes checkouts that nobody paid. */
export async function deleteOldCheckouts(ctx: Pick<TransactionCtx, "db" | "now"> | Pick<Ctx, "db" | "now">): Promise<void> {
  await ctx.db
    .deleteFrom("purchases")
    .where("status", "=", "ended")
    .where("paid_at", "is", null)
    .where("expires_at", "<=", ctx.now() - ENDED_RETENTION_MS)
    .execute();
}
