import type { Ctx, RequestContext, TransactionCtx } from "../../context.ts";
import { feeOf } from "../../contract/selling-fee.ts";
import { AppError } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { ownerId } from "../accounts/actor.ts";
import { type AddressUse, type CountedUse, consumeAddressRate, returnUses } from "../accounts/rate-limits.ts";
import type { Input } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { BUYING_OFF_MESSAGE, usePayments } from "../selling/payments.ts";
import { insertPurchase, toSessionColumns, updatePurchase } from "../selling/purchase-rows.ts";
import { type FoundShare, findFileWithShare, findLinkedShare } from "../shares/queries.ts";
import { isLimited, isShareOpen, shareNotFound } from "../shares/share-state.ts";
import { checkUnlocked } from "../shares/unlock.ts";
import { checkForSale } from "./for-sale.ts";

/** Time that a buyer has to pay. The payment platform requires at least half an hour. */
const CHECKOUT_MS = 32 * MINUTE_MS;

/** Maximum number of characters of a title at the payment platform. */
const MAX_TITLE = 200;

/**
 * `POST /purchases/checkout`: opens a checkout, which reserves a download of a limited share until it is paid or ends. Throws SELLING_OFF, NOT_FOUND,
 * UNLOCK_REQUIRED, UNLOCK_INVALID, FORBIDDEN for the owner, CONFLICT without a price or in the last hour, SELLER_NOT_READY, SCAN_PENDING, SOLD_OUT,
 * RATE_LIMITED, UNAVAILABLE (selling, "Purchases").
 */
export const createCheckout: Operation<"createCheckout"> = async (ctx, call, input) => {
  if (!ctx.payments) throw new AppError("SELLING_OFF", BUYING_OFF_MESSAGE);
  const { short_id } = await findNamed(ctx, input);
  const share = await findOpen(ctx, short_id);
  await checkUnlocked(ctx, call, share, input);
  const { purchase, sale, rates } = await ctx.transaction((ctx) => reserve(ctx, call, short_id));
  try {
    const checkout = await usePayments(ctx, (payments) => payments.openCheckout(sale, `checkout ${purchase.id}`));
    return await commitResponse(ctx, call, async (ctx) => {
      await updatePurchase(ctx.db, purchase.id, toSessionColumns(ctx.keyring, checkout.id));
      return {
        checkoutUrl: checkout.url,
        sessionId: checkout.id,
        shortId: short_id,
        priceCents: purchase.amount_cents,
        availableUntil: toIso(share.expires_at),
      };
    });
  } catch (error) {
    // Removes the reservation: even if the checkout exists, nobody has its URL, so it cannot be paid.
    await ctx.transaction(async (ctx) => {
      await updatePurchase(ctx.db, purchase.id, { status: "ended", ended_at: ctx.now() });
      await returnUses(ctx.db, rates);
    });
    throw error;
  }
};

async function findNamed(ctx: Ctx, { shortId, fileId }: Input<"createCheckout">): Promise<FoundShare> {
  const share = shortId ? await findLinkedShare(ctx.db, shortId) : fileId ? (await findFileWithShare(ctx.db, fileId))?.share : undefined;
  if (!shortId && !fileId) throw new AppError("VALIDATION_FAILED", "Send shortId or fileId: what is to be bought.");
  if (!share) throw shareNotFound();
  return share;
}

async function findOpen(ctx: Pick<Ctx, "db" | "now">, shortId: string): Promise<FoundShare> {
  const share = await findLinkedShare(ctx.db, shortId);
  if (!share || !isShareOpen(ctx, share)) throw shareNotFound();
  return share;
}

/** Checks the sale and reserves a download of a limited share, so that two buyers cannot both get the last one. */
async function reserve(ctx: TransactionCtx, call: RequestContext, shortId: string) {
  const share = await findOpen(ctx, shortId);
  const { priceCents, seller } = await checkForSale(ctx, ownerId(call.actor), share);
  const nowMs = ctx.now();
  const rates: CountedUse[] = [];
  for (const use of toAddressUses(call, share)) rates.push(...(await consumeAddressRate(ctx, use)));
  const feeCents = feeOf(priceCents, ctx.config.payments?.fee ?? { basisPoints: 0, fixedCents: 0 });
  const purchase = {
    id: newUuid(ctx.random, nowMs),
    short_id: shortId,
    seller_id: seller.user_id,
    amount_cents: priceCents,
    fee_cents: feeCents,
    language: call.language ?? null,
    created_at: nowMs,
    expires_at: nowMs + CHECKOUT_MS,
  };
  await insertPurchase(ctx.db, purchase);
  const sale = {
    shortId,
    title: [...(share.title ?? share.name)].slice(0, MAX_TITLE).join(""),
    amountCents: priceCents,
    feeCents,
    sellerAccount: seller.account,
    expiresAtMs: purchase.expires_at,
    successUrl: `${ctx.urls.siteUrl}/purchases/{CHECKOUT_SESSION_ID}`,
    cancelUrl: `${ctx.urls.siteUrl}/d/${shortId}`,
    language: call.language,
  };
  return { purchase, sale, rates };
}

/** Returns the rate limit uses of a checkout. */
const toAddressUses = ({ address }: RequestContext, share: FoundShare): readonly AddressUse[] => [
  { name: "checkouts", address },
  ...(isLimited(share) ? [{ name: "limitedCheckouts", address, about: `${share.short_id} ` } as const] : []),
];
