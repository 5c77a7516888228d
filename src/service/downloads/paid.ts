import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { PurchaseRow } from "../../db/tables/selling.ts";
import { AppError } from "../../errors.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { findPaidPurchase, findPurchase } from "../selling/purchase-rows.ts";
import type { SharePolicy } from "./queries.ts";

type PricedShare = Pick<SharePolicy, "short_id" | "price_cents" | "owner_id">;

/** Finds the purchase that a caller's token proves; undefined without a token, and for a purchase that was refunded or is of another share. */
export async function findProvenPurchase(
  ctx: Pick<Ctx, "db">,
  share: Pick<PricedShare, "short_id">,
  { purchaseToken }: { readonly purchaseToken?: string | undefined },
): Promise<PurchaseRow | undefined> {
  return purchaseToken ? await findPaidPurchase(ctx.db, purchaseToken, share.short_id) : undefined;
}

/** Throws PAYMENT_REQUIRED if a share has a price and the caller neither owns nor has bought it. */
export function checkPaid(ctx: Pick<Ctx, "urls">, actor: Actor, share: PricedShare, purchase: PurchaseRow | undefined): void {
  if (share.price_cents === null || purchase !== undefined) return;
  if (share.owner_id !== null && share.owner_id === ownerId(actor)) return;
  throw new AppError("PAYMENT_REQUIRED", "This share has a price. Buy it first, then download it with the purchase token.", {
    fields: {
      priceCents: share.price_cents,
      currency: "usd",
      paymentRequired: true,
      checkoutUrl: `${ctx.urls.siteUrl}/d/${share.short_id}`,
    },
  });
}

/** Returns whether a purchase has not been refunded, so that its signed URLs remain valid. */
export const isStillPaid = async (db: Db, purchaseId: string): Promise<boolean> =>
  purchaseId === "" || (await findPurchase(db, purchaseId))?.status === "paid";
