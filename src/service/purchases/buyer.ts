import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { PurchaseRow } from "../../db/tables/selling.ts";
import { isLimited } from "../files/viewable.ts";
import { listUsedFiles } from "../selling/bought-downloads.ts";
import { usePayments } from "../selling/payments.ts";
import { listPurchasesBySessions, sessionIdOf } from "../selling/purchase-rows.ts";
import type { FoundShare } from "../shares/queries.ts";

/** A purchase that a browser knows. */
export interface BuyersPurchase extends PurchaseRow {
  /** The ID of its checkout. */
  readonly sessionId: string;
  /** The IDs of files in a limited share whose download with this purchase has ended. */
  readonly used: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** Lists the purchases of a share that a browser knows by their checkout IDs, newest first. */
export async function listBuyersPurchases(
  ctx: Pick<Ctx, "db" | "now" | "keyring">,
  share: Pick<FoundShare, "short_id" | "max_downloads">,
  sessionIds: readonly string[],
): Promise<readonly BuyersPurchase[]> {
  const purchases = await listPurchasesBySessions(ctx, share.short_id, sessionIds);
  const withUse = async (purchase: PurchaseRow) => ({
    ...purchase,
    sessionId: sessionIdOf(ctx, purchase) ?? "",
    used: isLimited(share) && purchase.status === "paid" ? await listUsedFiles(ctx, purchase.id) : NONE,
  });
  return await Promise.all(purchases.map(withUse));
}

/** Returns whether a buyer can continue a checkout: it has the share's current price, and has not expired. */
export const canContinue = ({ now }: Pick<Ctx, "now">, { price_cents }: Pick<FoundShare, "price_cents">, purchase: PurchaseRow): boolean =>
  purchase.status === "open" && purchase.amount_cents === price_cents && now() < purchase.expires_at;

/** Finds the page of an open checkout; undefined if it has been paid or has ended. Throws UNAVAILABLE. */
export async function findCheckoutPage(ctx: Ctx, { sessionId }: BuyersPurchase): Promise<string | undefined> {
  const { settlement, url } = await usePayments(ctx, (payments) => payments.readCheckout(sessionId));
  return settlement === "open" ? url : undefined;
}

/** Returns the name of a seller that buyers see. */
export async function findSellerName(db: Db, { owner_id }: Pick<FoundShare, "owner_id">): Promise<string | null> {
  if (owner_id === null) return null;
  const user = await db.selectFrom("users").select("name").where("id", "=", owner_id).executeTakeFirst();
  return user?.name ?? null;
}
