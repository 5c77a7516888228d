import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { PurchaseRow } from "../../db/tables/selling.ts";
import { hashToken, type Keyring } from "../../lib/secrets/secrets.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { isStillActive } from "../effective-status.ts";

/** Checkouts and purchases, whose rows outlive their shares (selling, "Purchases"). */

/** Retention of an unpaid checkout's row. */
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
      session_hash: null,
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

/** Returns the columns of a checkout's ID. The ID grants the purchase, so only its keyed hash, for look-ups, and its encrypted form are stored. */
export const toSessionColumns = (
  keyring: Pick<Keyring, "sign" | "encrypt">,
  sessionId: string,
): Pick<PurchaseRow, "session_hash" | "session"> => ({
  session_hash: hashSession(keyring, sessionId),
  session: keyring.encrypt(sessionId),
});

/** Returns the ID of a purchase's checkout; undefined if it was not opened. Throws if the server's secret has changed. */
export const sessionIdOf = ({ keyring }: KeyringCtx, { session }: Pick<PurchaseRow, "session">): string | undefined =>
  session === null ? undefined : keyring.decrypt(session);

const hashSession = (keyring: Pick<Keyring, "sign">, sessionId: string): string => keyring.sign(`checkout ${sessionId}`);

type KeyringCtx = { readonly keyring: Keyring };

export async function findPurchaseBySession({ db, keyring }: KeyringCtx & { db: Db }, sessionId: string): Promise<PurchaseRow | undefined> {
  return await db.selectFrom("purchases").selectAll().where("session_hash", "=", hashSession(keyring, sessionId)).executeTakeFirst();
}

/** Lists purchases of a share by their checkout IDs, newest first. */
export async function listPurchasesBySessions(
  { db, keyring }: KeyringCtx & { db: Db },
  shortId: string,
  sessionIds: readonly string[],
): Promise<PurchaseRow[]> {
  if (sessionIds.length === 0) return [];
  const hashes = sessionIds.map((sessionId) => hashSession(keyring, sessionId));
  return await db
    .selectFrom("purchases")
    .selectAll()
    .where("session_hash", "in", inJson(hashes))
    .where("short_id", "=", shortId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

export async function findPurchaseByPayment(db: Db, paymentId: string): Promise<PurchaseRow | undefined> {
  return await db.selectFrom("purchases").selectAll().where("payment_id", "=", paymentId).executeTakeFirst();
}

const tokenQuery = preparedQuery((db, { hash }: { hash: string }) => db.selectFrom("purchases").selectAll().where("token_hash", "=", hash));

/** Finds the paid purchase of a token in a share. It covers all files of the share, including later ones. */
export async function findPaidPurchase(db: Db, token: string, shortId: string): Promise<PurchaseRow | undefined> {
  const purchase = await tokenQuery.first(db, { hash: hashToken(token) });
  return purchase?.status === "paid" && purchase.short_id === shortId ? purchase : undefined;
}

/** Returns the token of a purchase, which is the same each time. It is derived from the server's secret and the checkout ID, and never stored. */
export const toPurchaseToken = (ctx: KeyringCtx, purchase: Pick<PurchaseRow, "id" | "session">): string =>
  `pu_${ctx.keyring.sign(JSON.stringify(["purchase", purchase.id, sessionIdOf(ctx, purchase) ?? null]))}`;

export async function updatePurchase(db: Db, id: string, change: Partial<PurchaseRow>): Promise<void> {
  await db.updateTable("purchases").set(change).where("id", "=", id).execute();
}

/** The SQL that tells whether the share of a row of `purchases` has an active file that was not blocked. */
const hasFile = sql<boolean>`EXISTS (
  SELECT 1 FROM files
  WHERE files.short_id = purchases.short_id AND ${isStillActive} AND files.scan_status <> 'unavailable'
)`;

/** Returns whether the share of a purchase has a file that can be downloaded, now or after its scan. */
export async function isAnyFileLeft(db: Db, purchaseId: string): Promise<boolean> {
  return (await db.selectFrom("purchases").select("id").where("id", "=", purchaseId).where(hasFile).executeTakeFirst()) !== undefined;
}

/** Lists open checkouts that have expired and are due for a check, the longest waiting first. */
export async function listDueCheckouts(db: Db, nowMs: number, limit: number): Promise<PurchaseRow[]> {
  return await db
    .selectFrom("purchases")
    .selectAll()
    .where("status", "=", "open")
    .where("check_at", "<=", nowMs)
    .orderBy("check_at")
    .limit(limit)
    .execute();
}

/**
 * Lists open checkouts that can be paid although their shares are no longer for sale: ended, taken down, without a price, or with only blocked files.
 */
export async function listUnsellableCheckouts(db: Db, nowMs: number, limit: number): Promise<PurchaseRow[]> {
  return await db
    .selectFrom("purchases")
    .leftJoin("shares", "shares.short_id", "purchases.short_id")
    .leftJoin("users", "users.id", "shares.owner_id")
    .selectAll("purchases")
    .where("purchases.status", "=", "open")
    .where("purchases.session_hash", "is not", null)
    .where("purchases.expires_at", ">", nowMs)
    .where((where) =>
      where.or([
        where("shares.status", "is", null),
        where("shares.status", "<>", "active"),
        where("shares.price_cents", "is", null),
        where("shares.expires_at", "<=", nowMs),
        where("users.disabled_at", "is not", null),
        where.not(hasFile),
      ]),
    )
    .orderBy("purchases.expires_at")
    .limit(limit)
    .execute();
}

/** Deletes the old rows of unpaid checkouts. */
export async function deleteOldCheckouts(ctx: Pick<TransactionCtx, "db" | "now"> | Pick<Ctx, "db" | "now">): Promise<void> {
  await ctx.db
    .deleteFrom("purchases")
    .where("status", "=", sql.lit("ended"))
    .where("paid_at", "is", null)
    .where("expires_at", "<=", ctx.now() - ENDED_RETENTION_MS)
    .execute();
}
