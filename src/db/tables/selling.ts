import type { Generated, Selectable } from "kysely";

/** An account that sells, as the payment platform last described it. */
export interface SellerTable {
  user_id: string;
  /** The account's ID at the payment platform. */
  account: string;
  details_submitted: Generated<number>;
  charges_enabled: Generated<number>;
  payouts_enabled: Generated<number>;
  created_at: number;
  checked_at: number;
  /** Raised with each answer of the payment platform, also one that changes nothing. */
  version: Generated<number>;
}

export type SellerRow = Selectable<SellerTable>;

/** A checkout, and what became of it. */
export interface PurchaseTable {
  id: string;
  /** Keyed hash of the checkout's ID at the payment platform; null until it has responded. */
  session_hash: string | null;
  /** The checkout's ID at the payment platform, encrypted. */
  session: Generated<string | null>;
  short_id: string;
  seller_id: string;
  /** `open`: not paid yet; `ended`: can no longer be paid. */
  status: Generated<"open" | "paid" | "ended" | "refunded" | "disputed">;
  amount_cents: number;
  /** What the operator keeps of it. */
  fee_cents: number;
  payment_id: string | null;
  token_hash: string | null;
  /** The language of the buyer's page, for mail. */
  language: string | null;
  created_at: number;
  /** When an open checkout ends. */
  expires_at: number;
  paid_at: number | null;
  /** When it was refunded, disputed or ended. */
  ended_at: number | null;
  /** Raised with each answer of the payment platform, also one that changes nothing. */
  version: Generated<number>;
  /** When the payment platform is asked next for an open checkout, if nothing else happens. */
  check_at: number;
}

export type PurchaseRow = Selectable<PurchaseTable>;

/** An account that pays for Pro, or has begun to. */
export interface SubscriptionTable {
  user_id: string;
  /** The account's ID at the payment platform. */
  customer: string;
  /** Null until one is paid. */
  subscription_id: string | null;
  /** ID of the plan. */
  plan: string | null;
  /** `late`: a payment failed and is tried again. */
  state: "active" | "late" | "ended" | null;
  /** When the time that is paid ends. */
  period_ends_at: number | null;
  /** Whether it ends with that period. */
  ends_then: Generated<number>;
  /** When the payment platform was last asked for it, whether it responded or not. */
  checked_at: number;
  /** Raised with each answer of the payment platform, also one that changes nothing. */
  version: Generated<number>;
  /** The end of the time in which a checkout that was opened may turn out to be paid; null if none is awaited. */
  awaited_until: number | null;
}

export type SubscriptionRow = Selectable<SubscriptionTable>;

/** The one download of a file that a purchase of a limited share has begun. */
export interface PurchaseDownloadTable {
  purchase_id: string;
  file_id: string;
  /**
   * The download grant, which can be signed again until it is complete and has expired. Null if an earlier version stored the row: the
   * download is used.
   */
  grant_id: string | null;
  /** When the grant of a complete download expires, until the file was checked for having no download left. */
  ends_at: number | null;
}
