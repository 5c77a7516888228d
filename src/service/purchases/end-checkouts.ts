import type { Ctx } from "../../context.ts";
import type { PurchaseRow } from "../../db/tables/selling.ts";
import { PaymentError } from "../../pay/payments.ts";
import { listUnsellableCheckouts, sessionIdOf } from "../selling/purchase-rows.ts";
import { settle } from "./settle.ts";

const BATCH_SIZE = 50;

/**
 * Ends the open checkouts of shares that are no longer for sale, so that nobody pays for what cannot be delivered. Settles a checkout that was paid
 * meanwhile (selling, "Purchases").
 */
export async function endPointlessCheckouts(ctx: Ctx): Promise<void> {
  if (!ctx.payments) return;
  for (const purchase of await listUnsellableCheckouts(ctx.db, ctx.now(), BATCH_SIZE))
    await end(ctx, purchase).catch((error: unknown) =>
      ctx.log.warn({ err: error, purchase: purchase.id }, "checkout not ended; retrying later"),
    );
}

async function end(ctx: Ctx, purchase: PurchaseRow): Promise<void> {
  const payments = await ctx.payments?.();
  const sessionId = sessionIdOf(ctx, purchase);
  if (!payments || sessionId === undefined) return;
  await payments.endCheckout(sessionId).catch((error: unknown) => {
    if (!(error instanceof PaymentError) || error.kind !== "refused") throw error;
  });
  await settle(ctx, purchase);
}
