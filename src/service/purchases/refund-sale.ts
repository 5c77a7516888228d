import { AppError, notFound } from "../../errors.ts";
import { requireUser } from "../accounts/actor.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { SELLING_OFF_MESSAGE } from "../selling/payments.ts";
import { findPurchase } from "../selling/purchase-rows.ts";
import { enqueueRefund } from "./settle.ts";

/**
 * `POST /purchases/refund`: refunds a sale of the account in full, as soon as the payment platform responds. Throws SELLING_OFF, NOT_FOUND, CONFLICT
 * for a sale that was refunded or is disputed (selling, "Refunds").
 */
export const refundSale: Operation<"refundSale"> = async (ctx, call, { id }) => {
  const { userId } = requireUser(call.actor);
  if (!ctx.payments) throw new AppError("SELLING_OFF", SELLING_OFF_MESSAGE);
  const response = await commitResponse(ctx, call, async (ctx) => {
    const purchase = await findPurchase(ctx.db, id);
    if (purchase?.seller_id !== userId || purchase.paid_at === null)
      throw notFound("sale", "List your sales to find its ID.", "in your account");
    if (purchase.status !== "paid") throw new AppError("CONFLICT", "This sale was paid back already, or its payment is disputed.");
    await enqueueRefund(ctx, id);
    return { id };
  });
  ctx.wakeJobs();
  return response;
};
