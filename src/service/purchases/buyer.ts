import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { PurchaseRow } from "../../db/tables/selling.ts";
import { usePayments } from "../selling/payments.ts";
import { findPurchaseBySession } from "../selling/sales.ts";
import type { FoundShare } from "../shares/queries.ts";

export type BuyersPurchase = PurchaseRow;

/** The purchase of a share that a browser knows; undefined if it has none, or one of another share. */
export async function findBuyersPurchase(
  ctx: Pick<Ctx, "db">,
  { short_id }: Pick<FoundShare, "short_id">,
  sessionId: string | undefined,
): Promise<PurchaseRow | undefined> {
  const purchase = sessionId === undefined ? undefined : await findPurchaseBySession(ctx.db, sessionId);
  return purchase?.short_id === short_id ? purchase : undefined;
}

/** Whether a buyer who left a checkout can continue it: it still has the price of the share, and it has not ended by time. */
export const canContinue = (
  { now }: Pick<Ctx, "now">,
  { price_cents }: Pick<FoundShare, "price_cents">,
  purchase: PurchaseRow | undefined,
): purchase is PurchaseRow => purchase?.status === "open" && purchase.amount_cents === price_cents && now() < purchase.expires_at;

/** The page of a checkout that can be continued; undefined if it has been paid or has ended. Throws UNAVAILABLE. */
export async function findCheckoutPage(ctx: Ctx, { session_id }: PurchaseRow): Promise<string | undefined> {
  if (session_id === null) return undefined;
  const { settlement, url } = await usePayments(ctx, (payments) => payments.readCheckout(session_id));
  return settlement === "open" ? url : undefined;
}

/** What a seller is called by those who pay them. */
export async function findSellerName(db: Db, { owner_id }: Pick<FoundShare, "owner_id">): Promise<string | null> {
  if (owner_id === null) return null;
  const user = await db.selectFrom("users").select("name").where("id", "=", owner_id).executeTakeFirst();
  return user?.name ?? null;
}
