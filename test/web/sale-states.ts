import { renderForcePage } from "../../web/selling/force-page.tsx";
import { renderPurchasePage, renderToPaymentPage } from "../../web/selling/purchase-page.tsx";
import type { OfferProblem, SaleOffer, ShareSale } from "../../web/selling/sale-view.ts";
import { renderSellingPage, type SellingPageProps } from "../../web/settings/selling/selling-page.tsx";
import { arrangeFiles, WHOLE_SHIPMENT } from "../../web/share/file-listing.ts";
import { renderSharePage } from "../../web/share/share-page.tsx";
import type { ShareFile, SharePageProps } from "../../web/share/share-page-props.ts";
import type { PageContext } from "../../web/site/page-context.ts";

const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const SOME_MS = Date.UTC(2026, 10, 20, 12, 0);
const LINK = `https://files.example.org/purchases/cs_test_${"aB3".repeat(20)}`;

const OFFER: SaleOffer = { kind: "offer", priceCents: 499, seller: "Ada Lovelace", isLimited: false };
const BOUGHT = { kind: "bought", priceCents: 499, paidAtMs: SOME_MS, link: LINK, isLimited: false, isUsed: false } as const;

const SELLING: SellingPageProps = {
  ...{ readyToSell: false, detailsSubmitted: false, payoutsEnabled: false, hasAccount: false },
  ...{ fee: { basisPoints: 500, fixedCents: 30 }, sales: [], nextCursor: null },
};

interface Parts {
  readonly page: PageContext;
  readonly hostile: string;
  readonly files: readonly ShareFile[];
  toShare(over: Partial<SharePageProps>): SharePageProps;
}

/** The states of the pages of priced shares, of purchases and of sellers. */
export function salePages({ page, hostile, files, toShare }: Parts): Readonly<Record<string, string>> {
  const show = (sale: ShareSale, over: Partial<SharePageProps> = {}) => renderSharePage(page, toShare({ sale, ...over }));
  const problems = Object.keys(page.texts.sale.problems) as OfferProblem[];
  const states = Object.keys(page.texts.sale.purchase) as (keyof typeof page.texts.sale.purchase)[];
  const [pictured] = toShare({}).files as [ShareFile];
  const several = { files, listing: arrangeFiles(files, WHOLE_SHIPMENT), kind: "shipment" } as const;
  const asSeller: PageContext = { ...page, path: "/settings/selling", person: { name: hostile }, site: { ...page.site, hasSelling: true } };
  return {
    offer: show(OFFER),
    offerForever: show({ ...OFFER, priceCents: 99_999_999, seller: null, isLimited: true }, { expiresAtMs: null }),
    offerHostile: show({ ...OFFER, seller: hostile }, { title: hostile, message: hostile, ...several }),
    offerMany: show(OFFER, { title: "Photos", files: Array.from({ length: 60 }, () => files).flat(), kind: "shipment" }),
    offerLeft: show({ ...OFFER, openPurchase: "/purchases/cs_test_1" }),
    offerLocked: show(OFFER, { access: { kind: "locked" } }),
    ...Object.fromEntries(problems.map((problem) => [`offer-${problem}`, show({ ...OFFER, problem })])),
    bought: show(BOUGHT),
    boughtShipment: show({ ...BOUGHT, isLimited: true }, { title: "Photos", ...several }),
    boughtUsed: show({ ...BOUGHT, isLimited: true, isUsed: true }),
    ownPriced: show({ kind: "own", priceCents: 499 }),
    ...Object.fromEntries(
      states.map((state) => [`purchase-${state}`, renderPurchasePage(page, { state, shortId: "7kXq9Zab", link: LINK })]),
    ),
    offerPicture: show(OFFER, { listing: arrangeFiles([{ ...pictured, thumbnailUrl: PIXEL }], WHOLE_SHIPMENT) }),
    offerPictures: show(OFFER, {
      ...several,
      listing: arrangeFiles(
        files.map((file) => ({ ...file, thumbnailUrl: PIXEL })),
        WHOLE_SHIPMENT,
      ),
    }),
    force: renderForcePage(asSeller, {
      ...{ text: page.texts.errors.hasBuyers(3), path: "/files", back: "/files" },
      fields: [
        ["action", "delete"],
        ["file", hostile],
      ],
    }),
    toPayment: renderToPaymentPage(page, { url: "https://checkout.stripe.com/c/pay/cs_1" }),
    selling: renderSellingPage(asSeller, SELLING),
    sellingStarted: renderSellingPage(asSeller, { ...SELLING, hasAccount: true, note: "again", problem: page.texts.selling.problem }),
    sellingRefused: renderSellingPage(asSeller, { ...SELLING, hasAccount: true, detailsSubmitted: true, note: "unreachable" }),
    sellingReady: renderSellingPage(asSeller, {
      ...{ ...SELLING, hasAccount: true, detailsSubmitted: true, readyToSell: true, note: "back", nextCursor: "1_x" },
      fee: { basisPoints: 0, fixedCents: 0 },
      sales: (["paid", "refunded", "disputed"] as const).map((state, index) => ({
        ...{ id: `s${index}`, shortId: "7kXq9Zab", state, paidAt: "2026-11-20T12:00:00Z" },
        ...{ title: [hostile, null, "Photos of the harbour"][index] ?? null },
        ...{ priceCents: 99_999_999, feeCents: 5_000_029, sellerCents: state === "paid" ? 94_999_970 : 0 },
      })),
    }),
  };
}
