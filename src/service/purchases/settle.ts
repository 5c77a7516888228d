import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { PurchaseRow } from "../../db/tables/selling.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { HOUR_MS, MINUTE_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { enqueueMail } from "../../mail/queue.ts";
import type { CheckoutFacts } from "../../pay/payments.ts";
import { endUsedUp } from "../files/limit-downloads.ts";
import { applyFacts } from "../selling/apply-facts.ts";
import { listBegunDownloads } from "../selling/bought-downloads.ts";
import { findPurchase, isAnyFileLeft, listDueCheckouts, sessionIdOf, toPurchaseToken, updatePurchase } from "../selling/purchase-rows.ts";
import { countUsedOrReserved } from "../selling/reservations.ts";
import { findLinkedShare } from "../shares/queries.ts";
import { isLimited, isShareOpen } from "../shares/share-state.ts";

/** The kind of the jobs that refund purchases. */
export const REFUND_JOB = "refund";

const BATCH_SIZE = 50;

/**
 * Updates a purchase to the payment platform's current state. Concurrent calls in any order are safe, and a stale state changes nothing twice.
 * Resolves to the purchase. Throws UNAVAILABLE.
 */
export async function settle(ctx: Ctx, purchase: PurchaseRow): Promise<PurchaseRow> {
  const { id } = purchase;
  const sessionId = sessionIdOf(ctx, purchase);
  if (sessionId === undefined) return await ctx.transaction((ctx) => endUnopened(ctx, purchase));
  const settled = await applyFacts(ctx, {
    find: (db) => findPurchase(db, id),
    ask: (payments) => payments.readCheckout(sessionId),
    isChange: (ctx, row, facts) => toStatus(ctx, row, facts) !== row.status,
    apply,
  });
  ctx.wakeJobs();
  return settled ?? purchase;
}

/** Ends a checkout whose URL nobody got, because the server stopped meanwhile. */
async function endUnopened(ctx: TransactionCtx, purchase: PurchaseRow): Promise<PurchaseRow> {
  if (purchase.status !== "open" || ctx.now() < purchase.expires_at) return purchase;
  return await change(ctx, purchase, { status: "ended", ended_at: ctx.now() });
}

/** Returns the new status of a purchase. A checkout that the platform does not know ends at its expiry, so that it does not stay reserved. */
function toStatus({ now }: Pick<Ctx, "now">, { status, expires_at }: PurchaseRow, { settlement }: CheckoutFacts): PurchaseRow["status"] {
  switch (settlement) {
    case "open":
      return status;
    case "unknown":
      return status === "open" && now() >= expires_at ? "ended" : status;
    case "expired":
      return status === "open" ? "ended" : status;
    default:
      return settlement;
  }
}

async function apply(ctx: TransactionCtx, row: PurchaseRow, facts: CheckoutFacts): Promise<PurchaseRow> {
  const purchase = await change(ctx, row, { version: row.version + 1 });
  const status = toStatus(ctx, purchase, facts);
  if (status === purchase.status) return purchase;
  const payment_id = facts.paymentId ?? purchase.payment_id;
  if (status === "paid") return await pay(ctx, { ...purchase, payment_id }, facts);
  const nowMs = ctx.now();
  if (status === "ended") return await change(ctx, purchase, { status, ended_at: nowMs });
  return await endPaid(ctx, purchase, { status, payment_id, paid_at: purchase.paid_at ?? nowMs, ended_at: nowMs });
}

/** Ends a purchase that was refunded or is disputed. Unfinished downloads of a refunded purchase no longer delay the end of files. */
async function endPaid(ctx: TransactionCtx, purchase: PurchaseRow, changed: Partial<PurchaseRow>): Promise<PurchaseRow> {
  const ended = await change(ctx, purchase, changed);
  if (ended.status === "refunded") await endUsedUp(ctx, [...(await listBegunDownloads(ctx, purchase.id)).keys()]);
  return ended;
}

async function pay(ctx: TransactionCtx, purchase: PurchaseRow, { amountCents, buyerEmail }: CheckoutFacts): Promise<PurchaseRow> {
  const isFirst = purchase.paid_at === null;
  const token_hash = hashToken(toPurchaseToken(ctx, purchase));
  const { payment_id } = purchase;
  const takenBefore = await countUsedOrReserved(ctx, purchase.short_id);
  const paid = await change(ctx, purchase, {
    status: "paid",
    payment_id,
    token_hash,
    paid_at: purchase.paid_at ?? ctx.now(),
    ended_at: null,
  });
  const share = await findLinkedShare(ctx.db, purchase.short_id);
  const taken = await countUsedOrReserved(ctx, purchase.short_id);
  // The buyer's download was no longer reserved, and others have bought it since.
  if (share && isLimited(share) && taken > takenBefore && taken > (share.max_downloads ?? 0)) {
    await enqueueRefund(ctx, purchase.id);
    return await change(ctx, paid, { status: purchase.status, token_hash: purchase.token_hash, ended_at: purchase.ended_at });
  }
  const isOpen = share !== undefined && isShareOpen(ctx, share);
  const isDeliverable = isOpen && amountCents >= purchase.amount_cents && (await isAnyFileLeft(ctx.db, purchase.id));
  // A purchase with a token was delivered, so it is not refunded when the seller wins a dispute.
  if (!isDeliverable) {
    if (purchase.token_hash === null) await enqueueRefund(ctx, purchase.id);
  } else if (isFirst && buyerEmail !== undefined) {
    const link = `${ctx.urls.siteUrl}/purchases/${sessionIdOf(ctx, purchase)}`;
    await enqueueMail(ctx, {
      to: buyerEmail,
      language: purchase.language,
      mail: {
        kind: "bought",
        title: share.title ?? share.name,
        amountCents: purchase.amount_cents,
        link,
        availableUntil: toIso(share.expires_at),
      },
    });
  }
  return paid;
}

async function change(ctx: TransactionCtx, purchase: PurchaseRow, changed: Partial<PurchaseRow>): Promise<PurchaseRow> {
  await updatePurchase(ctx.db, purchase.id, changed);
  return { ...purchase, ...changed };
}

/** Enqueues the full refund of a purchase. Call `ctx.wakeJobs()` afterwards. */
export async function enqueueRefund(ctx: TransactionCtx, purchaseId: string): Promise<void> {
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, { id: newUuid(ctx.random, nowMs), kind: REFUND_JOB, subject: purchaseId, runAtMs: nowMs, nowMs });
}

/** Returns whether the refund of a purchase is pending. */
export async function isRefundPending(db: Db, purchaseId: string): Promise<boolean> {
  const job = await db.selectFrom("jobs").select("id").where("kind", "=", REFUND_JOB).where("subject", "=", purchaseId).executeTakeFirst();
  return job !== undefined;
}

/** Settles expired checkouts whose buyers did not return and whose webhook did not arrive. */
export async function settleOverdue(ctx: Ctx): Promise<void> {
  if (!ctx.payments) return;
  for (const purchase of await listDueCheckouts(ctx.db, ctx.now(), BATCH_SIZE)) {
    // Records the check before the request, so that checkouts that always fail do not delay the others.
    await ctx.transaction((ctx) => updatePurchase(ctx.db, purchase.id, { check_at: ctx.now() + pauseOf(ctx, purchase) }));
    await settle(ctx, purchase).catch((error: unknown) =>
      ctx.log.warn({ err: error, purchase: purchase.id }, "checkout not settled; retrying later"),
    );
  }
}

/** Returns the time before the next check of a checkout, which equals the time since its expiry: a payment from a bank account takes days. */
const pauseOf = ({ now }: Pick<Ctx, "now">, { expires_at }: PurchaseRow): number =>
  Math.min(Math.max(now() - expires_at, MINUTE_MS), HOUR_MS);
