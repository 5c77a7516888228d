import type { RequestContext } from "../../src/context.ts";
import { pathCookie, readPathCookies } from "../../src/http/callers/host-cookie.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { DAY_MS } from "../../src/lib/text/duration.ts";
import { isLimited } from "../../src/service/files/viewable.ts";
import { operations } from "../../src/service/operations.ts";
import { type BuyersPurchase, listBuyersPurchases } from "../../src/service/purchases/buyer.ts";
import type { FoundShare } from "../../src/service/shares/queries.ts";

/**
 * What a browser keeps of a purchase: the ID of its checkout, in a cookie of the share's path. It is the buyer's right to what they bought, and
 * by it a buyer who left the payment page continues there, in place of reserving another download. Each purchase has its own cookie, so that
 * none replaces another.
 */
const COOKIE = "purchase";
/** The longest time for which browsers keep a cookie. */
const PAID_COOKIE_MS = 400 * DAY_MS;
/** Some payments take days to arrive. */
const OPEN_COOKIE_MS = 14 * DAY_MS;
const SESSION_ID = /^[A-Za-z0-9_-]{1,200}$/;
/** Characters of the ID that tell the cookies of a share apart. */
const NAME_LENGTH = 12;

/** The `Set-Cookie` header by which a browser keeps a purchase, or a checkout that is not paid yet. */
export const purchaseCookie = (c: HttpContext, shortId: string, sessionId: string, { isPaid }: { readonly isPaid: boolean }): string =>
  pathCookie(c, `${COOKIE}-${sessionId.slice(-NAME_LENGTH)}`, sessionId, {
    path: `/d/${shortId}`,
    maxAgeMs: isPaid ? PAID_COOKIE_MS : OPEN_COOKIE_MS,
  });

/** The purchases of a share that this browser knows, the newest first. */
export async function readPurchases(
  c: HttpContext,
  share: Pick<FoundShare, "short_id" | "max_downloads">,
): Promise<readonly BuyersPurchase[]> {
  const sessionIds = readPathCookies(c, COOKIE).filter((id) => SESSION_ID.test(id));
  return await listBuyersPurchases(c.env.ctx, share, sessionIds);
}

/** Reads the purchases that are paid; of a limited share first those that have a download left of one of these files. */
export async function readPaid(
  c: HttpContext,
  share: Pick<FoundShare, "short_id" | "max_downloads">,
  fileIds: readonly string[],
): Promise<readonly BuyersPurchase[]> {
  const paid = (await readPurchases(c, share)).filter(({ status }) => status === "paid");
  if (!isLimited(share)) return paid;
  return [...paid.filter((one) => hasLeft(one, fileIds)), ...paid.filter((one) => !hasLeft(one, fileIds))];
}

/** Whether a purchase has a download left of one of these files. */
export const hasLeft = ({ used }: BuyersPurchase, fileIds: readonly string[]): boolean => fileIds.some((id) => !used.has(id));

/** The token of what this browser has bought, by which it downloads one of these files; undefined if it has bought nothing. */
export async function findPurchaseToken(
  c: HttpContext,
  call: RequestContext,
  { share, fileIds }: { readonly share: FoundShare; readonly fileIds: readonly string[] },
): Promise<string | undefined> {
  const [purchase] = await readPaid(c, share, fileIds);
  if (!purchase || c.env.person?.actor.userId === purchase.seller_id) return undefined;
  return (await operations.claimPurchase(c.env.ctx, call, { sessionId: purchase.sessionId })).purchaseToken;
}
