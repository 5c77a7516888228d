import { sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { DAY_MS } from "../../lib/text/duration.ts";

/** Downloads of limited shares that purchases and open checkouts reserve. */

/** Time after its end for which a checkout with an unknown outcome keeps its reservation: a payment from a bank account takes days. */
const RESERVED_MS = 14 * DAY_MS;

/**
 * Returns the largest number of used or promised downloads of a file in a limited share: counted downloads, and unused ones of paid or open
 * purchases. 0 without files.
 */
export async function countUsedOrReserved({ db, now }: Pick<Ctx | TransactionCtx, "db" | "now">, shortId: string): Promise<number> {
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
