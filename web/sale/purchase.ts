import { AppError } from "../../src/errors.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { errorHeaders } from "../../src/http/responding/http-error.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondErrorPage, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { findPurchaseBySession } from "../../src/service/selling/sales.ts";
import { purchaseCookie } from "./buyer.ts";
import { type PurchaseState, renderPurchasePage } from "./purchase-page.tsx";
import { purchasePath } from "./sale-view.ts";
import { showGonePurchase } from "./share-sale.ts";

/**
 * `GET /purchases/:sessionId`, to which the payment platform sends buyers, and by which they come back: opens the share as bought, or says what
 * became of the payment.
 */
export async function showPurchasePage(c: HttpContext): Promise<Response> {
  const sessionId = c.req.param("sessionId") ?? "";
  try {
    const call = await identifyCaller(c, "page");
    const { shortId } = await operations.claimPurchase(c.env.ctx, call, { sessionId });
    const response = redirect(c, 303, `/d/${encodeURIComponent(shortId)}`);
    response.headers.append("Set-Cookie", purchaseCookie(c, shortId, sessionId, { isPaid: true }));
    return response;
  } catch (error) {
    return (error instanceof AppError && (await explain(c, sessionId, error))) || (await respondErrorPage(c, error));
  }
}

/** The page of a purchase without a download; undefined for errors that have nothing to do with it. */
async function explain(c: HttpContext, sessionId: string, error: AppError): Promise<Response | undefined> {
  const purchase = await findPurchaseBySession(c.env.ctx, sessionId);
  const show = (state: PurchaseState, status: number) => {
    const link = c.env.ctx.urls.siteUrl + purchasePath(sessionId);
    const html = renderPurchasePage(pageContext(c), { state, shortId: purchase?.short_id, link });
    return respondPage(c, { status, html, headers: errorHeaders(error), hasSecrets: true });
  };
  if (error.code === "NOT_FOUND") return purchase ? await showGonePurchase(c, purchase) : await show("unknown", 404);
  if (!purchase) return undefined;
  if (error.code === "SELLING_OFF") return await show("off", error.status);
  // The seller, who needs no purchase.
  if (error.code === "FORBIDDEN") return redirect(c, 303, `/d/${encodeURIComponent(purchase.short_id)}`);
  if (error.code === "UNAVAILABLE") return await show("unreachable", error.status);
  if (error.code !== "PAYMENT_REQUIRED") return undefined;
  const { status } = purchase;
  return await show(status === "paid" ? "open" : status, status === "open" ? 200 : error.status);
}
