/** Why a share with a price cannot be bought now, or what a buyer should know first. */
export type OfferProblem = "soldOut" | "notReady" | "lastHour" | "busy" | "waiting" | "tooMany" | "changed";

/** What a share with a price is to those who see its page. */
export type ShareSale =
  | {
      /** The visitor has not bought it. */
      readonly kind: "offer";
      readonly priceCents: number;
      /** Null where the account has no name. */
      readonly seller: string | null;
      /** Whether a purchase is of one download of each file. */
      readonly isLimited: boolean;
      readonly problem?: OfferProblem | undefined;
      /** Path of the purchase that this browser has begun, and can continue. */
      readonly openPurchase?: string | undefined;
    }
  | {
      readonly kind: "bought";
      readonly priceCents: number;
      readonly paidAtMs: number;
      /** By which the buyer comes back. */
      readonly link: string;
      readonly isLimited: boolean;
      /** Whether no download of a limited purchase is left. */
      readonly isUsed: boolean;
    }
  | { readonly kind: "own"; readonly priceCents: number };

export type SaleOffer = Extract<ShareSale, { kind: "offer" }>;

/** Problems beside which the share can be bought. */
export const canBuy = (problem: OfferProblem | undefined): boolean => problem === undefined || problem === "changed" || problem === "busy";

export const purchasePath = (sessionId: string): string => `/purchases/${encodeURIComponent(sessionId)}`;
