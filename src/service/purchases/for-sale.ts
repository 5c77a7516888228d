import type { Ctx, TransactionCtx } from "../../context.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { SellerRow } from "../../db/tables/selling.ts";
import { AppError } from "../../errors.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { checkNotBlocked, checkReady } from "../downloads/download-rules.ts";
import { countUsedOrReserved } from "../selling/reservations.ts";
import { findSeller, isReadyToSell } from "../selling/sellers.ts";
import { type FoundShare, listShareFiles } from "../shares/queries.ts";
import { shareNotFound } from "../shares/share-state.ts";

/** Minimum remaining lifetime of a share when a checkout opens, so that the buyer has time to download. */
const LAST_SALE_MS = HOUR_MS;

/** The seller and the price of a share. */
export interface Offer {
  readonly seller: SellerRow;
  readonly priceCents: number;
}

/**
 * Checks that an account, or null for an anonymous buyer, can buy an open share now. Throws CONFLICT without a price or in the last hour, FORBIDDEN
 * for the owner, SELLER_NOT_READY, SCAN_PENDING, SCAN_BLOCKED, SOLD_OUT.
 */
export async function checkForSale(
  ctx: Pick<Ctx, "db" | "now"> | Pick<TransactionCtx, "db" | "now">,
  buyerId: string | null,
  share: FoundShare,
): Promise<Offer> {
  const { price_cents: priceCents, owner_id: sellerId, short_id: shortId } = share;
  if (priceCents === null || sellerId === null) throw new AppError("CONFLICT", "This share has no price. Download it without buying it.");
  if (buyerId === sellerId) throw new AppError("FORBIDDEN", "This is your own share. You can download it without buying it.");
  const seller = await findSeller(ctx.db, sellerId);
  if (!isReadyToSell(seller))
    throw new AppError("SELLER_NOT_READY", "The seller cannot take payments now. Try again later, or ask the sender.");
  if (share.expires_at !== null && share.expires_at - ctx.now() < LAST_SALE_MS)
    throw new AppError("CONFLICT", "This share ends within an hour, so it is no longer sold. Ask the sender to extend it.");
  checkFiles(await listShareFiles(ctx.db, shortId));
  if (share.max_downloads !== null && (await countUsedOrReserved(ctx, shortId)) >= share.max_downloads) throw soldOut();
  return { seller, priceCents };
}

/** Throws SCAN_PENDING until all files can be downloaded, SCAN_BLOCKED if none can. */
function checkFiles(files: readonly FileRow[]): void {
  const active = files.filter(({ status }) => status === "active");
  const [first] = active;
  if (!first) throw shareNotFound();
  const left = active.filter(({ scan_status }) => scan_status !== "unavailable");
  if (left.length === 0) checkNotBlocked(first);
  for (const file of left) checkReady(file);
}

const soldOut = (): AppError =>
  new AppError(
    "SOLD_OUT",
    "This share is sold out: all its downloads are bought or reserved. A reserved one may become free within the hour.",
  );
