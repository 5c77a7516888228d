import type { Ctx } from "../../context.ts";
import type { PurchaseRow } from "../../db/tables/selling.ts";
import { AppError, notFound } from "../../errors.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { ownerId } from "../accounts/actor.ts";
import type { Operation } from "../operation.ts";
import { BUYING_OFF_MESSAGE } from "../selling/payments.ts";
import { findPurchaseBySession, toPurchaseToken, updatePurchase } from "../selling/purchase-rows.ts";
import { type FoundShare, findLinkedShare, listShareFiles } from "../shares/queries.ts";
import { isActive, isShareOpen, shareNotFound } from "../shares/share-state.ts";
import { settle } from "./settle.ts";

/**
 * `POST /purchases/claim`: returns the token of a paid checkout, the same each time. Asks the payment platform unless the payment is known. Throws
 * SELLING_OFF, NOT_FOUND, FORBIDDEN for the seller, PAYMENT_REQUIRED, UNAVAILABLE (selling, "Purchases").
 */
export const claimPurchase: Operation<"claimPurchase"> = async (ctx, call, { sessionId }) => {
  if (!ctx.payments) throw new AppError("SELLING_OFF", BUYING_OFF_MESSAGE);
  if (!sessionId) throw new AppError("VALIDATION_FAILED", "Send sessionId: the ID of the checkout.");
  const found = await findPurchaseBySession(ctx, sessionId);
  if (!found) throw gone(notFound("checkout", "Check its sessionId."), "unknown");
  if (ownerId(call.actor) === found.seller_id)
    throw new AppError("FORBIDDEN", "This is your own sale. You can download your files without a token.");
  const purchase = found.status === "paid" ? found : await settle(ctx, found);
  if (purchase.status !== "paid") throw notPaid(purchase);
  const share = await findLinkedShare(ctx.db, purchase.short_id);
  if (!share || !isShareOpen(ctx, share)) throw share && mayReopen(ctx, share) ? shareNotFound() : gone(shareNotFound(), "gone");
  const file = (await listShareFiles(ctx.db, share.short_id)).find(({ status }) => status === "active");
  if (!file) throw shareNotFound();
  return { purchaseToken: await giveToken(ctx, purchase), fileId: file.id, shortId: share.short_id };
};

/** Returns an error that tells the client to forget the purchase. */
const gone = (error: AppError, purchaseStatus: "unknown" | "gone"): AppError =>
  new AppError(error.code, error.message, { fields: { purchaseStatus } });

/** Returns whether a closed share may open again, because it was taken down or its account is disabled. */
const mayReopen = (ctx: Pick<Ctx, "now">, share: FoundShare): boolean =>
  share.status === "dmca_removed" || (share.owner_disabled_at !== null && isActive(ctx, share));

/** Returns the token of a purchase. If the server's secret has changed, a new token replaces the previous one. */
async function giveToken(ctx: Ctx, purchase: PurchaseRow): Promise<string> {
  const token = toPurchaseToken(ctx, purchase);
  const token_hash = hashToken(token);
  if (purchase.token_hash !== token_hash) await ctx.transaction((ctx) => updatePurchase(ctx.db, purchase.id, { token_hash }));
  return token;
}

const MESSAGES = {
  open: "The payment has not arrived yet. Pay at the checkout, or try again in a moment.",
  ended: "This checkout has ended without a payment. Open a new one.",
  refunded: "This purchase was paid back.",
  disputed: "The payment of this purchase is disputed. It can be used again when the dispute is settled for the seller.",
} as const;

function notPaid({ status, amount_cents }: PurchaseRow): AppError {
  const purchaseStatus = status === "paid" ? "open" : status;
  return new AppError("PAYMENT_REQUIRED", MESSAGES[purchaseStatus], {
    fields: { paymentRequired: true, priceCents: amount_cents, currency: "usd", purchaseStatus },
  });
}
