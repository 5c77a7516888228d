import type { AppError } from "../../src/errors.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { findPurchaseBySession } from "../../src/service/selling/purchase-rows.ts";
import { withVisitor } from "../account/visitor.ts";
import { purchaseCookie } from "./buyer.ts";
import { type PurchaseState, renderPurchasePage } from "./purchase-page.tsx";
import { purchasePath } from "./sale-view.ts";
import { showGonePurchase } from "./share-sale.ts";

/**
 * Handles `GET /purchases/:sessionId`, to which the payment platform redirects buyers and to which they return. Opens the bought share, or shows the
 * state of the payment.
 */
export const showPurchasePage = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, (call) => {
    const sessionId = c.req.param("sessionId") ?? "";
    return respondToRefusals(
      async () => {
        const { shortId } = await operations.claimPurchase(c.env.ctx, call, { sessionId });
        const response = redirect(c, 303, toShare(shortId));
        response.headers.append("Set-Cookie", purchaseCookie(c, shortId, sessionId, { isPaid: true }));
        return response;
      },
      { other: (refusal) => explain(c, sessionId, refusal) },
    );
  });

const toShare = (shortId: string): string => `/d/${encodeURIComponent(shortId)}`;

/** Responds with the page of a purchase without a download. Throws refusals that do not concern the purchase. */
async function explain(c: HttpContext, sessionId: string, refusal: AppError): Promise<Response> {
  const purchase = await findPurchaseBySession(c.env.ctx, sessionId);
  const show = (state: PurchaseState, status?: number) => {
    const link = c.env.ctx.urls.siteUrl + purchasePath(sessionId);
    const html = renderPurchasePage(pageContext(c), { state, shortId: purchase?.short_id, link });
    return respondPage(c, { refusal, status, html, hasSecrets: true });
  };
  const { code } = refusal;
  if (code === "NOT_FOUND") return purchase ? await showGonePurchase(c, purchase) : await show("unknown");
  if (!purchase) throw refusal;
  if (code === "SELLING_OFF") return await show("off");
  // The seller needs no purchase.
  if (code === "FORBIDDEN") return redirect(c, 303, toShare(purchase.short_id));
  if (code === "UNAVAILABLE") return await show("unreachable");
  if (code !== "PAYMENT_REQUIRED") throw refusal;
  const { status } = purchase;
  return await show(status === "paid" ? "open" : status, status === "open" ? 200 : undefined);
}
