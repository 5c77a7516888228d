import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db, TransactionDb } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { PurchaseRow } from "../../db/tables/selling.ts";
import { hashToken, type Keyring } from "../../lib/secrets/secrets.ts";
import { DAY_MS } from "../../lib/text/duration.ts";

/** Checkouts and purchases, whose rows outlive their shares (selling, "Purchases"). */

type SalesCtx = Pick<Ctx, "db" | "now"> | Pick<TransactionCtx, "db" | "now">;

/** Time after its end for which a checkout with an unknown outcome keeps its reservation: a payment from a bank account takes days. */
const RESERVED_MS = 14 * DAY_MS;

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
export async function findPaid(db: Db, token: string, shortId: string): Promise<PurchaseRow | undefined> {
  const purchase = await tokenQuery.first(db, { hash: hashToken(token) });
  return purchase?.status === "paid" && purchase.short_id === shortId ? purchase : undefined;
}

/** Returns the token of a purchase, which is the same each time. It is derived from the server's secret and the checkout ID, and never stored. */
export const toPurchaseToken = (ctx: KeyringCtx, purchase: Pick<PurchaseRow, "id" | "session">): string =>
  `pu_${ctx.keyring.sign(JSON.stringify(["purchase", purchase.id, sessionIdOf(ctx, purchase) ?? null]))}`;

export async function updatePurchase(db: Db, id: string, change: Partial<PurchaseRow>): Promise<void> {
  await db.updateTable("purchases").set(change).where("id", "=", id).execute();
}

/**
 * Returns the largest number of used or promised downloads of a file in a limited share: counted downloads, and unused ones of paid or open
 * purchases. 0 without files.
 */
export async function countUsedOrReserved({ db, now }: SalesCtx, shortId: string): Promise<number> {
  const row = await db
    .selectFrom("files")
    .select(sql<number | null>`max(download_count + ${countReserved(sql.ref("files.id"), { shortId, nowMs: now() })})`.as("taken"))
    .where("short_id", "=", shortId)
    .where("status", "=", "active")
    .executeTakeFirst();
  return row?.taken ?? 0;
}

/**
 * Returns the SQL that selects purchases that are paid, or whose checkout may still be paid. If selling is off, the outcome of a checkout is not
 * learned, so it ends with time. The first condition repeats that of an index.
 */
export const isReserved = (nowMs: number) => sql<boolean>`(
  purchases.status IN ('open', 'paid') AND (purchases.status = 'paid' OR purchases.expires_at > ${nowMs - RESERVED_MS})
)`;

/** Returns the SQL for the number of a share's purchases that have not begun to download a file. */
export const countReserved = (
  fileId: ReturnType<typeof sql.ref>,
  { shortId, nowMs }: { readonly shortId: string; readonly nowMs: number },
) => sql<number>`(
  SELECT count(*) FROM purchases
  WHERE purchases.short_id = ${shortId} AND ${isReserved(nowMs)}
    AND NOT EXISTS (
      SELECT 1 FROM purchase_downloads
      WHERE purchase_downloads.purchase_id = purchases.id AND purchase_downloads.file_id = ${fileId}
    )
)`;

/**
 * Returns the SQL that tells whether a buyer's download grant can be used: it is incomplete, or has not expired and has enough bytes left. A negative
 * budget means that an archive is sending the file.
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
export const hasUnused = (nowMs: number) => sql<boolean>`EXISTS (
  SELECT 1 FROM files
  WHERE files.short_id = purchases.short_id AND files.status = 'active' AND NOT EXISTS (
    SELECT 1 FROM purchase_downloads
    WHERE purchase_downloads.purchase_id = purchases.id AND purchase_downloads.file_id = files.id AND NOT ${hasUsableGrant(nowMs)}
  )
)`;

/** The SQL that tells whether the share of a row of `purchases` has an active file that was not blocked. */
const hasFile = sql<boolean>`EXISTS (
  SELECT 1 FROM files
  WHERE files.short_id = purchases.short_id AND files.status = 'active' AND files.scan_status <> 'unavailable'
)`;

/** Returns whether the share of a purchase has a file that can be downloaded, now or after its scan. */
export async function isAnyFileLeft(db: Db, purchaseId: string): Promise<boolean> {
  return (await db.selectFrom("purchases").select("id").where("id", "=", purchaseId).where(hasFile).executeTakeFirst()) !== undefined;
}

/** Returns the SQL that tells whether a buyer has begun, and can still use, the download of a row of `files`. */
export const isAwaited = (nowMs: number) => sql<boolean>`EXISTS (
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
export async function beginPurchased(db: Db, purchaseId: string, grants: readonly FileGrant[]): Promise<boolean> {
  const begun = await db
    .insertInto("purchase_downloads")
    .values(grants.map(({ fileId, grantId }) => ({ purchase_id: purchaseId, file_id: fileId, grant_id: grantId })))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return begun.numInsertedOrUpdatedRows === BigInt(grants.length);
}

/** Stores the grants to which the downloads of a purchase have moved. */
export async function movePurchased(db: Db, purchaseId: string, grants: readonly FileGrant[]): Promise<void> {
  const moved = grants.map(({ fileId, grantId }) => [fileId, grantId]);
  await sql`UPDATE purchase_downloads SET grant_id = moved.value ->> 1
    FROM json_each(${JSON.stringify(moved)}) AS moved
    WHERE purchase_downloads.purchase_id = ${purchaseId} AND purchase_downloads.file_id = moved.value ->> 0`.execute(db);
}

/** Records that downloads of a purchase are complete, so that they end with their grants. */
export async function completePurchased(db: Db, purchaseId: string, fileIds: readonly string[]): Promise<void> {
  await sql`UPDATE purchase_downloads SET ends_at = (SELECT expires_at FROM download_grants WHERE download_grants.id = purchase_downloads.grant_id)
    WHERE purchase_id = ${purchaseId} AND file_id IN ${inJson(fileIds)}`.execute(db);
}

/** Returns, once each, the files of complete bought downloads that have ended. */
export async function takeEnded(db: TransactionDb, nowMs: number, limit: number): Promise<{ fileId: string }[]> {
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
export interface BegunDownload {
  /** The grant's ID; null if the download has ended. */
  readonly grantId: string | null;
  /** Whether an archive is sending the file, or was when its server instance ended. */
  readonly isAcquired: boolean;
  /** Remaining bytes of the grant, without those that an archive has acquired. */
  readonly budgetBytes: number;
  /** Expiry of a complete download's grant; null before completion. */
  readonly endsAtMs: number | null;
}

/** Lists the downloads that a purchase has begun, by the ID of the file. */
export async function listBegun({ db, now }: SalesCtx, purchaseId: string): Promise<ReadonlyMap<string, BegunDownload>> {
  const rows = await db
    .selectFrom("purchase_downloads")
    .leftJoin("download_grants", (join) => join.onRef("download_grants.id", "=", "purchase_downloads.grant_id").on(isUsable(now())))
    .select(["purchase_downloads.file_id", "download_grants.id", "download_grants.budget_bytes"])
    .select(["download_grants.completed_at", "download_grants.expires_at"])
    .where("purchase_id", "=", purchaseId)
    .execute();
  return new Map(
    rows.map(({ file_id, id, completed_at, expires_at, ...row }) => {
      const budget = row.budget_bytes ?? 0;
      const isAcquired = budget < 0;
      const endsAtMs = completed_at === null ? null : expires_at;
      return [file_id, { grantId: id, isAcquired, budgetBytes: isAcquired ? -1 - budget : budget, endsAtMs }];
    }),
  );
}

/** Returns the files whose download with a purchase has ended. */
export async function listUsed(ctx: SalesCtx, purchaseId: string): Promise<ReadonlySet<string>> {
  return new Set([...(await listBegun(ctx, purchaseId))].flatMap(([fileId, { grantId }]) => (grantId === null ? [fileId] : [])));
}

/** Lists open checkouts that have expired and are due for a check, the longest waiting first. */
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
