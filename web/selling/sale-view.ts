/** The reason why a share with a price cannot be bought now, or a warning for buyers. */
export type OfferProblem = "soldOut" | "notReady" | "lastHour" | "busy" | "waiting" | "tooMany" | "changed";

/** The sale of a share, as its page shows it to the visitor. */
export type ShareSale =
  | {
      /** The offer for a visitor who has not bought the share. */
      readonly kind: "offer";
      readonly priceCents: number;
      /** The name of the seller; null if the account has none. */
      readonly seller: string | null;
      /** Whether a purchase allows one download of each file. */
      readonly isLimited: boolean;
      readonly problem?: OfferProblem | undefined;
      /** The path of the purchase that this browser has begun, and can continue. */
      readonly openPurchase?: string | undefined;
    }
  | {
      readonly kind: "bought";
      readonly priceCents: number;
      readonly paidAtMs: number;
      /** The link with which the buyer returns. */
      readonly link: string;
      readonly isLimited: boolean;
      /** Whether all downloads of a limited purchase are used. */
      readonly isUsed: boolean;
    }
  | { readonly kind: "own"; readonly priceCents: number };

export type SaleOffer = Extract<ShareSale, { kind: "offer" }>;

/** Whether the share can be bought, despite the problem. */
export const canBuy = (problem: OfferProblem | undefined): boolean => problem === undefined || problem === "changed" || problem === "busy";

export const purchasePath = (sessionId: string): string => `/purchases/${encodeURIComponent(sessionId)}`;
