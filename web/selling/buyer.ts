import type { RequestContext } from "../../src/context.ts";
import { pathCookie, readPathCookies } from "../../src/http/callers/host-cookie.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { DAY_MS } from "../../src/lib/text/duration.ts";
import { operations } from "../../src/service/operations.ts";
import { type BuyersPurchase, listBuyersPurchases } from "../../src/service/purchases/buyer.ts";
import type { FoundShare } from "../../src/service/shares/queries.ts";
import { isLimited } from "../../src/service/shares/share-state.ts";

/**
 * The cookie of a purchase: the ID of its checkout, for the share's path. It proves the purchase, and continues a checkout that the buyer left, so
 * that no other download is reserved. Each purchase has a separate cookie, so that none replaces another.
 */
const COOKIE = "purchase";
/** The longest time for which browsers keep a cookie. */
const PAID_COOKIE_MS = 400 * DAY_MS;
/** The time for which browsers keep the cookie of an unpaid checkout. Some payments take days to arrive. */
const OPEN_COOKIE_MS = 14 * DAY_MS;
const SESSION_ID = /^[A-Za-z0-9_-]{1,200}$/;
/** The number of characters of the ID that distinguish the cookies of a share. */
const NAME_LENGTH = 12;

/** Returns the `Set-Cookie` header with which a browser stores a purchase, or a checkout that is not paid yet. */
export const purchaseCookie = (c: HttpContext, shortId: string, sessionId: string, { isPaid }: { readonly isPaid: boolean }): string =>
  pathCookie(c, `${COOKIE}-${sessionId.slice(-NAME_LENGTH)}`, sessionId, {
    path: `/d/${shortId}`,
    maxAgeMs: isPaid ? PAID_COOKIE_MS : OPEN_COOKIE_MS,
  });

/** Reads the purchases of a share that this browser knows, newest first. */
export async function readPurchases(
  c: HttpContext,
  share: Pick<FoundShare, "short_id" | "max_downloads">,
): Promise<readonly BuyersPurchase[]> {
  const sessionIds = readPathCookies(c, COOKIE).filter((id) => SESSION_ID.test(id));
  return await listBuyersPurchases(c.env.ctx, share, sessionIds);
}

/** Reads the paid purchases. For a limited share, those with a remaining download of one of these files come first. */
export async function readPaid(
  c: HttpContext,
  share: Pick<FoundShare, "short_id" | "max_downloads">,
  fileIds: readonly string[],
): Promise<readonly BuyersPurchase[]> {
  const paid = (await readPurchases(c, share)).filter(({ status }) => status === "paid");
  if (!isLimited(share)) return paid;
  return [...paid.filter((one) => hasLeft(one, fileIds)), ...paid.filter((one) => !hasLeft(one, fileIds))];
}

/** Whether a purchase has a remaining download of one of these files. */
export const hasLeft = ({ used }: BuyersPurchase, fileIds: readonly string[]): boolean => fileIds.some((id) => !used.has(id));

/** Finds the purchase token with which this browser downloads one of these files; undefined if it has bought nothing. */
export async function findPurchaseToken(
  c: HttpContext,
  call: RequestContext,
  { share, fileIds }: { readonly share: FoundShare; readonly fileIds: readonly string[] },
): Promise<string | undefined> {
  const [purchase] = await readPaid(c, share, fileIds);
  if (!purchase || c.env.person?.actor.userId === purchase.seller_id) return undefined;
  return (await operations.claimPurchase(c.env.ctx, call, { sessionId: purchase.sessionId })).purchaseToken;
}
