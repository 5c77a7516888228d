import type { Ctx } from "../../context.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { DAY_MS, HOUR_MS } from "../../lib/text/duration.ts";
import { usePayments } from "../selling/payments.ts";
import { findPurchase } from "../selling/purchase-rows.ts";
import { REFUND_JOB, settle } from "./settle.ts";

const SLOTS = 2;
/** Time before the refund of a disputed payment is tried again. */
const DISPUTE_PAUSE_MS = 6 * HOUR_MS;
/** Time after which a disputed payment counts as refunded by the bank, because banks decide within months. */
const MAX_DISPUTE_MS = 180 * DAY_MS;

/**
 * Refunds a purchase: one that cannot be delivered, or whose seller refunds it. Retries until the payment platform has done so (selling, "Refunds").
 */
export const refundJob: JobKind<Ctx> = {
  name: REFUND_JOB,
  slots: () => ({ total: SLOTS }),
  async run(ctx, { subject }) {
    const purchase = await findPurchase(ctx.db, subject);
    const paymentId = purchase?.payment_id;
    if (!purchase || !paymentId || purchase.status === "refunded") return DONE;
    if (!ctx.payments) return { kind: "reschedule", atMs: ctx.now() + HOUR_MS };
    try {
      await usePayments(ctx, (payments) => payments.refund(paymentId));
    } catch (error) {
      // The platform refuses to refund a disputed payment until the bank has decided.
      const { status, ended_at } = await settle(ctx, purchase);
      if (status !== "disputed") throw error;
      const isDecided = ctx.now() - (ended_at ?? 0) > MAX_DISPUTE_MS;
      return isDecided ? DONE : { kind: "reschedule", atMs: ctx.now() + DISPUTE_PAUSE_MS };
    }
    await settle(ctx, purchase);
    return DONE;
  },
};
