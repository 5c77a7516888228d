import type { Ctx } from "../../context.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { HOUR_MS } from "../../lib/duration.ts";
import { usePayments } from "../selling/payments.ts";
import { findPurchase } from "../selling/sales.ts";
import { REFUND_JOB, settle } from "./settle.ts";

const SLOTS = 2;

/** Pays back a purchase that cannot be delivered, until the payment platform has done so (selling, "Refunds"). */
export const refundJob: JobKind<Ctx> = {
  name: REFUND_JOB,
  slots: () => ({ total: SLOTS }),
  async run(ctx, { subject }) {
    const purchase = await findPurchase(ctx.db, subject);
    const paymentId = purchase?.payment_id;
    if (!purchase || !paymentId || purchase.status === "refunded") return DONE;
    if (!ctx.payments) return { kind: "again", atMs: ctx.now() + HOUR_MS };
    await usePayments(ctx, (payments) => payments.refund(paymentId));
    await settle(ctx, purchase);
    return DONE;
  },
};
