import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { AppError } from "../../errors.ts";
import { countOf } from "../../lib/count-of.ts";

/**
 * Throws HAS_BUYERS if somebody can still download what they bought, or is paying, and would no longer (selling, "What buyers keep"). `loses`: what
 * they lose, as the end of a sentence.
 */
export async function checkBuyers(
  { db }: Pick<TransactionCtx, "db">,
  share: Pick<ShareRow, "short_id" | "max_downloads">,
  { force, loses }: { readonly force: boolean | undefined; readonly loses: string },
): Promise<void> {
  if (force) return;
  const buyers = await countBuyers(db, share);
  if (buyers === 0) return;
  throw new AppError(
    "HAS_BUYERS",
    `${countOf(buyers, "buyer")} of this share would lose ${loses}. Send force: true to do it nevertheless, and pay them back at Stripe.`,
    {
      fields: { buyers },
    },
  );
}

/** Those who have paid, or are at a checkout, and have not used their one download of a limited share. */
async function countBuyers(db: Db, { short_id, max_downloads }: Pick<ShareRow, "short_id" | "max_downloads">): Promise<number> {
  const { count } = await db
    .selectFrom("purchases")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("short_id", "=", short_id)
    .where("status", "in", ["open", "paid"])
    .$if(max_downloads !== null, (query) => query.where(hasUnused))
    .executeTakeFirstOrThrow();
  return count;
}

const hasUnused = sql<boolean>`EXISTS (
  SELECT 1 FROM files
  WHERE files.short_id = purchases.short_id AND files.status = 'active' AND NOT EXISTS (
    SELECT 1 FROM purchase_downloads
    WHERE purchase_downloads.purchase_id = purchases.id AND purchase_downloads.file_id = files.id
  )
)`;
