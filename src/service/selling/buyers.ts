import type { Ctx, TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import { AppError } from "../../errors.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { hasUnusedDownload } from "./bought-downloads.ts";
import { isReserved } from "./reservations.ts";

type BuyersCtx = Pick<Ctx, "db" | "now"> | Pick<TransactionCtx, "db" | "now">;

/** Shares by their short IDs, or all shares of a seller. */
export type SoldShares = { readonly shortIds: readonly string[] } | { readonly sellerId: string };

/**
 * Throws HAS_BUYERS if buyers of these shares would lose a download or a running payment (selling, "What buyers keep"). Every change of a share by
 * its owner calls it. `loses` describes the loss, as the end of a sentence.
 */
export async function checkBuyers(
  ctx: BuyersCtx,
  shares: SoldShares,
  { force, loses }: { readonly force: boolean | undefined; readonly loses: string },
): Promise<void> {
  if (force) return;
  const buyers = await countBuyers(ctx, shares);
  if (buyers === 0) return;
  throw new AppError(
    "HAS_BUYERS",
    `${countOf(buyers, "buyer")} (paid or paying now) would lose ${loses}. To do it nevertheless, send force: true (--force), and pay back those who have paid.`,
    { fields: { buyers } },
  );
}

/** Counts the people who have paid for an open share or are at a checkout, without those who have completed their one download of a limited share. */
export async function countBuyers({ db, now }: BuyersCtx, shares: SoldShares): Promise<number> {
  const { count } = await db
    .selectFrom("purchases")
    .innerJoin("shares", "shares.short_id", "purchases.short_id")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where((where) =>
      "sellerId" in shares
        ? where("purchases.seller_id", "=", shares.sellerId)
        : where("purchases.short_id", "in", inJson(shares.shortIds)),
    )
    .where(isReserved(now()))
    .where("shares.status", "=", "active")
    .where((where) => where.or([where("shares.expires_at", "is", null), where("shares.expires_at", ">", now())]))
    .where((where) => where.or([where("shares.max_downloads", "is", null), hasUnusedDownload(now())]))
    .executeTakeFirstOrThrow();
  return count;
}
