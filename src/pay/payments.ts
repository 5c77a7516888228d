/** The capabilities of a seller's account at the payment platform. */
export interface SellerFacts {
  /** Whether the platform knows the account. False after its deletion, and for an account that belongs to a previous operator account. */
  readonly isKnown: boolean;
  readonly detailsSubmitted: boolean;
  readonly chargesEnabled: boolean;
  readonly payoutsEnabled: boolean;
}

export interface NewSale {
  readonly shortId: string;
  /** The title that the buyer sees. */
  readonly title: string;
  readonly amountCents: number;
  readonly feeCents: number;
  /** The seller's account. */
  readonly sellerAccount: string;
  /** Expiry of the checkout: 30 minutes to 24 hours from now. */
  readonly expiresAtMs: number;
  /** The URL to which the buyer returns. `{CHECKOUT_SESSION_ID}` stands for the ID of the checkout. */
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** The language tag of the page; undefined: the browser's language. */
  readonly language: string | undefined;
}

export interface OpenedCheckout {
  readonly id: string;
  readonly url: string;
}

/** The state of a checkout's payment. `unknown`: the platform has no such checkout. */
export type Settlement = "open" | "paid" | "expired" | "refunded" | "disputed" | "unknown";

export interface CheckoutFacts {
  readonly settlement: Settlement;
  /** The payment's ID; undefined until there is a payment. */
  readonly paymentId: string | undefined;
  readonly amountCents: number;
  /** The address that the buyer gave. */
  readonly buyerEmail: string | undefined;
  /** The page that takes the payment; undefined once it has ended. */
  readonly url: string | undefined;
}

export interface NewSubscription {
  /** The subscriber's ID at the platform. */
  readonly customer: string;
  readonly userId: string;
  readonly plan: string;
  /** ID of the plan's price. */
  readonly price: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly language: string | undefined;
}

export interface SubscriptionFacts {
  readonly customer: string;
  readonly plan: string | undefined;
  /** The state. `late`: a payment failed and is tried again. */
  readonly state: "active" | "late" | "ended";
  /** End of the paid period, without unpaid time; the start of the subscription if nothing was paid. */
  readonly paidUntilMs: number;
  /** Whether the subscription ends with its period. */
  readonly endsThen: boolean;
}

export type WantedSubscriptions = "running" | "paused" | "ended";

/** The price of a plan. */
export interface PlanPrice {
  /** The amount in the smallest unit of the currency, as the platform counts it. */
  readonly amount: number;
  /** The ISO 4217 code, such as `USD`. */
  readonly currency: string;
  /** Number of intervals that one payment covers. */
  readonly count: number;
  readonly unit: "day" | "week" | "month" | "year";
}

/** The content of a webhook: a change of a checkout, a payment, a seller's account or a subscription. */
export type PaymentEvent =
  | { readonly kind: "checkout"; readonly id: string }
  | { readonly kind: "payment"; readonly id: string }
  | { readonly kind: "seller"; readonly id: string }
  | { readonly kind: "subscription"; readonly id: string; readonly customer: string }
  | { readonly kind: "other" };

/** The operator's account at the payment platform, as `filehost doctor` checks it. */
export interface PlatformFacts {
  readonly account: string;
  /** Whether payments are real. */
  readonly isLive: boolean;
  readonly acceptsPayments: boolean;
  /** Webhooks that lead to the queried URL. */
  readonly webhooks: readonly PlatformWebhook[];
  /** The API version that this server uses. */
  readonly apiVersion: string;
  /** Plans whose price does not exist, is no longer used, or is not recurring. */
  readonly wrongPlans: readonly string[];
}

export interface PlatformWebhook {
  readonly isEnabled: boolean;
  readonly missingEvents: readonly string[];
  /** The version of its events, if their form may differ from the form that this server reads. */
  readonly otherVersion: string | undefined;
}

/** Takes payments for sellers and for the operator, at one payment platform. Each method throws PaymentError. */
export interface Payments {
  /** Creates a seller's account; the same call returns the same account for a day. `lost` is the account that it replaces. Resolves to its ID. */
  createSeller(user: {
    readonly userId: string;
    readonly email: string | undefined;
    readonly country: string | undefined;
    readonly lost: string | undefined;
  }): Promise<string>;
  /** Creates a link to the page where a seller gives the platform the required data. It is valid for minutes. */
  createOnboardingLink(account: string, urls: { readonly returnUrl: string; readonly refreshUrl: string }): Promise<string>;
  /** Creates a link to the platform's dashboard for a seller. It is valid for minutes. */
  createLoginLink(account: string): Promise<string>;
  readSeller(account: string): Promise<SellerFacts>;
  /** Opens the checkout of a sale, once for each key. */
  openCheckout(sale: NewSale, key: string): Promise<OpenedCheckout>;
  readCheckout(id: string): Promise<CheckoutFacts>;
  /** Ends a checkout, so that it can no longer be paid. Throws PaymentError with the kind `refused` if it was paid or has ended. */
  endCheckout(id: string): Promise<void>;
  /** Refunds the rest of a payment, with the operator's fee, from the seller's balance. Does nothing if everything was refunded before. */
  refund(paymentId: string): Promise<void>;
  /** Creates a subscriber; the same call returns the same subscriber for a day. `lost` is the subscriber that it replaces. Resolves to the ID. */
  createCustomer(user: { readonly userId: string; readonly email: string | undefined; readonly lost: string | undefined }): Promise<string>;
  /** Returns whether the platform knows a subscriber. False after a deletion at the platform, and for a subscriber of a previous operator account. */
  knowsCustomer(customer: string): Promise<boolean>;
  /** Ends the checkouts of a subscriber that can still be paid. */
  endSubscriptionCheckouts(customer: string): Promise<void>;
  openSubscription(subscription: NewSubscription): Promise<OpenedCheckout>;
  /** Reads the prices of the plans by their IDs, at most an hour old. Omits plans without one fixed amount. */
  readPlanPrices(): Promise<ReadonlyMap<string, PlanPrice>>;
  /** Reads a subscription; undefined if the platform does not have it. */
  readSubscription(id: string): Promise<SubscriptionFacts | undefined>;
  /** Lists a subscriber's subscriptions that have not ended; empty if the platform does not know the subscriber. */
  listSubscriptions(customer: string): Promise<readonly string[]>;
  /**
   * Changes all subscriptions of a subscriber to the wanted state: `paused` ones take no payments until they are `running` again, and `ended` ones
   * never again. Unless they are `running`, ends the checkouts that would begin others.
   */
  adjustSubscriptions(customer: string, wanted: WantedSubscriptions): Promise<void>;
  /**
   * Creates a link to the page where a subscriber changes the payment method or cancels. It works for minutes; undefined if the platform does not
   * know the subscriber.
   */
  createPortalLink(customer: string, returnUrl: string): Promise<string | undefined>;
  /** Describes the operator's account, and its webhooks that lead to a URL. */
  readPlatform(webhookUrl: string): Promise<PlatformFacts>;
  /** Verifies the signature of a webhook's body. Throws PaymentError with the kind `refused` if it is wrong or old. */
  readEvent(body: string, signature: string): Promise<PaymentEvent>;
}

/** The reason why a request to the payment platform failed: it does not respond (`unavailable`), or it refuses (`refused`). */
export class PaymentError extends Error {
  override readonly name = "PaymentError";
  constructor(
    readonly kind: "unavailable" | "refused",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
