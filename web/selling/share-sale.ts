import type { Ctx, RequestContext } from "../../src/context.ts";
import type { ErrorCode } from "../../src/errors.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { isLimited } from "../../src/service/files/viewable.ts";
import { operations } from "../../src/service/operations.ts";
import { type BuyersPurchase, canContinue, findCheckoutPage, findSellerName } from "../../src/service/purchases/buyer.ts";
import { checkForSale } from "../../src/service/purchases/for-sale.ts";
import { isRefundPending } from "../../src/service/purchases/settle.ts";
import { listUsedFiles } from "../../src/service/selling/bought-downloads.ts";
import { type FoundShare, listShareFiles } from "../../src/service/shares/queries.ts";
import type { ShareView } from "../../src/service/shares/view-share.ts";
import type { OpenView } from "../share/share-view-model.ts";
import { hasLeft, purchaseCookie, readPaid, readPurchases } from "./buyer.ts";
import { renderPurchasePage, renderToPaymentPage } from "./purchase-page.tsx";
import type { OfferProblem, ShareSale } from "./sale-view.ts";
import { purchasePath } from "./sale-view.ts";

/** The problem of an offer, by the code of the error. */
export const OFFER_PROBLEMS: Partial<Record<ErrorCode, OfferProblem>> = {
  SOLD_OUT: "soldOut",
  SELLER_NOT_READY: "notReady",
  SELLING_OFF: "notReady",
  CONFLICT: "lastHour",
  SCAN_PENDING: "waiting",
  UPLOAD_INCOMPLETE: "waiting",
  NOT_FOUND: "waiting",
  UNAVAILABLE: "busy",
  RATE_LIMITED: "tooMany",
};

interface SaleOptions {
  readonly isOwner: boolean;
  /** The reason why the last try to buy failed. */
  readonly problem: OfferProblem | undefined;
}

interface FoundSale {
  readonly sale: ShareSale | undefined;
  /** The IDs of the files whose download the buyer of a limited share has used. */
  readonly used: ReadonlySet<string> | undefined;
}

/** Reads the sale for the page of a share: for its owner, for a buyer, and for other visitors. */
export async function readSale(c: HttpContext, { share, files }: OpenView, { isOwner, problem }: SaleOptions): Promise<FoundSale> {
  const { ctx } = c.env;
  const { price_cents: priceCents } = share;
  if (isOwner) return { sale: priceCents === null ? undefined : { kind: "own", priceCents }, used: undefined };
  const purchases = await readPurchases(c, share);
  const paid = purchases.filter(({ status }) => status === "paid");
  const fileIds = files.map(({ id }) => id);
  const purchase = paid.find((one) => hasLeft(one, fileIds)) ?? paid[0];
  if (purchase) {
    const used = isLimited(share) ? new Set(fileIds.filter((id) => paid.every((one) => one.used.has(id)))) : undefined;
    const sale: ShareSale = {
      kind: "bought",
      priceCents: purchase.amount_cents,
      paidAtMs: purchase.paid_at ?? purchase.created_at,
      link: ctx.urls.siteUrl + purchasePath(purchase.sessionId),
      isLimited: used !== undefined,
      isUsed: used?.size === fileIds.length,
    };
    return { sale, used };
  }
  if (priceCents === null) return { sale: undefined, used: undefined };
  const open = purchases.find((one) => canContinue(ctx, share, one));
  const sale: ShareSale = {
    kind: "offer",
    priceCents,
    seller: await findSellerName(ctx.db, share),
    isLimited: isLimited(share),
    problem: problem ?? (open ? undefined : await findProblem(c, share)),
    openPurchase: open && purchasePath(open.sessionId),
  };
  return { sale, used: undefined };
}

async function findProblem({ env: { ctx } }: HttpContext, share: FoundShare): Promise<OfferProblem | undefined> {
  if (!ctx.payments) return "notReady";
  return await respondToRefusals(
    async () => {
      await checkForSale(ctx, null, share);
      return undefined;
    },
    { other: ({ code }) => OFFER_PROBLEMS[code] ?? "notReady" },
  );
}

/** Sends the browser to the checkout that it has left, or to a new one. Throws like `createCheckout`. */
export async function leaveToCheckout(
  c: HttpContext,
  call: RequestContext,
  share: FoundShare,
  unlocked: { readonly unlockToken?: string; readonly handoffToken?: string },
): Promise<Response> {
  const { ctx } = c.env;
  const open = (await readPurchases(c, share)).find((one) => canContinue(ctx, share, one));
  if (open) {
    const url = await findCheckoutPage(ctx, open);
    return url === undefined ? redirect(c, 303, purchasePath(open.sessionId)) : await leaveToPayment(c, url);
  }
  const { checkoutUrl, sessionId } = await operations.createCheckout(ctx, call, { shortId: share.short_id, ...unlocked });
  const response = await leaveToPayment(c, checkoutUrl);
  response.headers.append("Set-Cookie", purchaseCookie(c, share.short_id, sessionId, { isPaid: false }));
  return response;
}

/**
 * Sends the browser to a page of the payment platform by a page that refreshes itself. The pages' policy allows forms no redirect to another site,
 * and the platform's pages may have a host of the operator's.
 */
export const leaveToPayment = (c: HttpContext, url: string): Promise<Response> =>
  respondPage(c, { html: renderToPaymentPage(pageContext(c), { url }), hasSecrets: true, headers: { Refresh: `0; url=${url}` } });

/** Shows a buyer the state of their purchase after the share has ended; undefined for others. */
export async function showEndedPurchase(c: HttpContext, view: ShareView): Promise<Response | undefined> {
  if (view.kind === "moved" || view.kind === "open") return undefined;
  const share = { short_id: c.req.param("shortId") ?? "", max_downloads: null };
  const [purchase] = await readPaid(c, share, []);
  return purchase && (await showGonePurchase(c, purchase));
}

/** Says that the purchase can no longer be downloaded, and whether it was or will be refunded. */
export async function showGonePurchase(c: HttpContext, purchase: Pick<BuyersPurchase, "id" | "short_id">): Promise<Response> {
  return await respondPage(c, { status: 404, html: renderPurchasePage(pageContext(c), { state: await toGoneState(c.env.ctx, purchase) }) });
}

async function toGoneState(ctx: Ctx, { id, short_id }: Pick<BuyersPurchase, "id" | "short_id">): Promise<"returning" | "used" | "gone"> {
  if (await isRefundPending(ctx.db, id)) return "returning";
  const used = await listUsedFiles(ctx, id);
  const files = await listShareFiles(ctx.db, short_id);
  return used.size > 0 && files.every((file) => used.has(file.id)) ? "used" : "gone";
}
