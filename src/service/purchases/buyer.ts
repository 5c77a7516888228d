import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { PurchaseRow } from "../../db/tables/selling.ts";
import { isLimited } from "../files/viewable.ts";
import { usePayments } from "../selling/payments.ts";
import { listPurchasesBySessions, listUsed, sessionIdOf } from "../selling/sales.ts";
import type { FoundShare } from "../shares/queries.ts";

/** A purchase that a browser knows. */
export interface BuyersPurchase extends PurchaseRow {
  /** The ID of its checkout. */
  readonly sessionId: string;
  /** The files of a limited share whose download by it has ended. */
  readonly used: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** The purchases of a share that a browser knows by the IDs of their checkouts, the newest first. */
export async function listBuyersPurchases(
  ctx: Pick<Ctx, "db" | "now" | "keyring">,
  share: Pick<FoundShare, "short_id" | "max_downloads">,
  sessionIds: readonly string[],
): Promise<readonly BuyersPurchase[]> {
  const purchases = await listPurchasesBySessions(ctx, share.short_id, sessionIds);
  const withUse = async (purchase: PurchaseRow) => ({
    ...purchase,
    sessionId: sessionIdOf(ctx, purchase) ?? "",
    used: isLimited(share) && purchase.status === "paid" ? await listUsed(ctx, purchase.id) : NONE,
  });
  return await Promise.all(purchases.map(withUse));
}

/** Whether a buyer who left a checkout can continue it: it still has the price of the share, and it has not ended by time. */
export const canContinue = ({ now }: Pick<Ctx, "now">, { price_cents }: Pick<FoundShare, "price_cents">, purchase: PurchaseRow): boolean =>
  purchase.status === "open" && purchase.amount_cents === price_cents && now() < purchase.expires_at;

/** The page of a checkout that can be continued; undefined if it has been paid or has ended. Throws UNAVAILABLE. */
export async function findCheckoutPage(ctx: Ctx, { sessionId }: BuyersPurchase): Promise<string | undefined> {
  const { settlement, url } = await usePayments(ctx, (payments) => payments.readCheckout(sessionId));
  return settlement === "open" ? url : undefined;
}

/** What a seller is called by those who pay them. */
export async function findSellerName(db: Db, { owner_id }: Pick<FoundShare, "owner_id">): Promise<string | null> {
  if (owner_id === null) return null;
  const user = await db.selectFrom("users").select("name").where("id", "=", owner_id).executeTakeFirst();
  return user?.name ?? null;
}
