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
  /** A number that rises with each response of the payment platform, even if nothing changes. */
  version: Generated<number>;
}

export type SellerRow = Selectable<SellerTable>;

/** A checkout and its outcome. */
export interface PurchaseTable {
  id: string;
  /** The keyed hash of the checkout's ID at the payment platform; null until it has responded. */
  session_hash: string | null;
  /** The checkout's ID at the payment platform, encrypted. */
  session: Generated<string | null>;
  short_id: string;
  seller_id: string;
  /** The state. `open`: not paid yet; `ended`: can no longer be paid. */
  status: Generated<"open" | "paid" | "ended" | "refunded" | "disputed">;
  amount_cents: number;
  /** The operator's fee. */
  fee_cents: number;
  payment_id: string | null;
  token_hash: string | null;
  /** The language of the buyer's page, for mails. */
  language: string | null;
  created_at: number;
  /** Expiry of an open checkout. */
  expires_at: number;
  paid_at: number | null;
  /** Time of the refund, dispute or end. */
  ended_at: number | null;
  /** A number that rises with each response of the payment platform, even if nothing changes. */
  version: Generated<number>;
  /** Time of the next check of an open checkout at the payment platform. */
  check_at: number;
}

export type PurchaseRow = Selectable<PurchaseTable>;

/** An account that pays for Pro, or has begun to. */
export interface SubscriptionTable {
  user_id: string;
  /** The account's ID at the payment platform. */
  customer: string;
  /** The subscription; null until one is paid. */
  subscription_id: string | null;
  /** ID of the plan. */
  plan: string | null;
  /** The state. `late`: a payment failed and is tried again. */
  state: "active" | "late" | "ended" | null;
  /** End of the paid period. */
  period_ends_at: number | null;
  /** Whether the subscription ends with that period. */
  ends_then: Generated<number>;
  /** Time of the last check at the payment platform, whether it responded or not. */
  checked_at: number;
  /** A number that rises with each response of the payment platform, even if nothing changes. */
  version: Generated<number>;
  /** The latest time at which an open checkout may be paid; null if none is awaited. */
  awaited_until: number | null;
}

export type SubscriptionRow = Selectable<SubscriptionTable>;

/** The one download of a file that a purchase of a limited share has begun. */
export interface PurchaseDownloadTable {
  purchase_id: string;
  file_id: string;
  /**
   * The download grant, which can be signed again until it is complete and has expired; null in a row of an earlier version, whose download is used.
   */
  grant_id: string | null;
  /** Expiry of a complete download's grant, until the server has checked whether the file has a download left. */
  ends_at: number | null;
}
