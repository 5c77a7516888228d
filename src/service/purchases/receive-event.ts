import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { PaymentError, type PaymentEvent } from "../../pay/payments.ts";
import { syncSubscriber } from "../billing/subscriptions.ts";
import { SELLING_OFF_MESSAGE } from "../selling/payments.ts";
import { findPurchaseByPayment, findPurchaseBySession } from "../selling/purchase-rows.ts";
import { refreshSeller } from "../selling/sellers.ts";
import { settle } from "./settle.ts";

/**
 * Receives a report of the payment platform. A report only triggers a check of the platform's current state, so it may be late, repeated, lost or out
 * of order. Throws SELLING_OFF, SIGNATURE_INVALID, UNAVAILABLE (selling, "The webhook").
 */
export async function receivePaymentEvent(
  ctx: Ctx,
  { body, signature }: { readonly body: string; readonly signature: string },
): Promise<void> {
  if (!ctx.payments || !ctx.config.payments?.webhookSecrets.length) throw new AppError("SELLING_OFF", SELLING_OFF_MESSAGE);
  await handle(ctx, await read(await ctx.payments(), { body, signature }));
}

async function read(payments: Awaited<ReturnType<NonNullable<Ctx["payments"]>>>, { body, signature }: { body: string; signature: string }) {
  try {
    return await payments.readEvent(body, signature);
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    throw new AppError("SIGNATURE_INVALID", "The signature of this report is wrong or too old. Check FILEHOST_STRIPE_WEBHOOK_SECRET.", {
      cause: error,
    });
  }
}

async function handle(ctx: Ctx, event: PaymentEvent): Promise<void> {
  if (event.kind === "subscription") return await syncSubscriber(ctx, { customer: event.customer, subscription: event.id });
  if (event.kind === "seller") return void (await refreshSeller(ctx, { account: event.id }));
  const purchase =
    event.kind === "checkout"
      ? await findPurchaseBySession(ctx, event.id)
      : event.kind === "payment"
        ? await findPurchaseByPayment(ctx.db, event.id)
        : undefined;
  if (purchase) await settle(ctx, purchase);
}
