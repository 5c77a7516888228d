/** What a seller's account at the payment platform can do. */
export interface SellerFacts {
  /** Whether the platform knows the account: not if it was deleted, or is of another account there that the server had before. */
  readonly isKnown: boolean;
  readonly detailsSubmitted: boolean;
  readonly chargesEnabled: boolean;
  readonly payoutsEnabled: boolean;
}

export interface NewSale {
  readonly shortId: string;
  /** Shown to the buyer. */
  readonly title: string;
  readonly amountCents: number;
  readonly feeCents: number;
  /** The seller's account. */
  readonly sellerAccount: string;
  /** When the checkout ends; 30 minutes to 24 hours from now. */
  readonly expiresAtMs: number;
  /** Where the buyer comes back to; `{CHECKOUT_SESSION_ID}` stands for the ID of the checkout. */
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** A language tag of the page; others get the browser's. */
  readonly language: string | undefined;
}

export interface OpenedCheckout {
  readonly id: string;
  readonly url: string;
}

/** What became of the money of a checkout. `unknown`: the platform has no such checkout. */
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
  /** `late`: a payment failed and is tried again. */
  readonly state: "active" | "late" | "ended";
  /** When the time that was paid ends; what is due and not paid adds nothing. When it began, if nothing was paid. */
  readonly paidUntilMs: number;
  /** Whether it ends with its period. */
  readonly endsThen: boolean;
}

export type WantedSubscriptions = "running" | "paused" | "ended";

/** What a plan costs. */
export interface PlanPrice {
  /** In the smallest unit of the currency, as the platform counts it. */
  readonly amount: number;
  /** ISO 4217, such as `USD`. */
  readonly currency: string;
  /** One payment is for this many of them. */
  readonly count: number;
  readonly unit: "day" | "week" | "month" | "year";
}

/** What a webhook reports: something happened to a checkout, to a payment, to a seller's account or to a subscription. */
export type PaymentEvent =
  | { readonly kind: "checkout"; readonly id: string }
  | { readonly kind: "payment"; readonly id: string }
  | { readonly kind: "seller"; readonly id: string }
  | { readonly kind: "subscription"; readonly id: string; readonly customer: string }
  | { readonly kind: "other" };

/** The operator's account at the payment platform, as `filehost doctor` checks it. */
export interface PlatformFacts {
  readonly account: string;
  /** Whether payments are real ones. */
  readonly isLive: boolean;
  readonly acceptsPayments: boolean;
  /** Webhooks that lead to the URL that was asked about. */
  readonly webhooks: readonly PlatformWebhook[];
  /** The version of the platform's API that this server speaks. */
  readonly apiVersion: string;
  /** Plans whose price does not exist, is not used any more, or is not recurring. */
  readonly wrongPlans: readonly string[];
}

export interface PlatformWebhook {
  readonly isEnabled: boolean;
  readonly missingEvents: readonly string[];
  /** The version of its events, if their form may be another than this server reads. */
  readonly otherVersion: string | undefined;
}

/** Takes payments for sellers and for the operator, at one payment platform. Each method throws PaymentError. */
export interface Payments {
  /** Creates a seller's account, the same for the same call within a day. `lost`: the one in whose place it is. Resolves to its ID. */
  createSeller(user: {
    readonly userId: string;
    readonly email: string | undefined;
    readonly country: string | undefined;
    readonly lost: string | undefined;
  }): Promise<string>;
  /** A page on which a seller gives the platform what it asks for; valid for minutes. */
  createOnboardingLink(account: string, urls: { readonly returnUrl: string; readonly refreshUrl: string }): Promise<string>;
  /** The platform's own dashboard for a seller; valid for minutes. */
  createLoginLink(account: string): Promise<string>;
  readSeller(account: string): Promise<SellerFacts>;
  /** Opens the checkout of a sale, once for each key. */
  openCheckout(sale: NewSale, key: string): Promise<OpenedCheckout>;
  readCheckout(id: string): Promise<CheckoutFacts>;
  /** Ends a checkout, so that it can no longer be paid. Throws PaymentError with the kind `refused` if it was paid, or has ended. */
  endCheckout(id: string): Promise<void>;
  /** Pays back what is left of a payment, with the operator's fee, from the seller's balance; nothing if all was paid back before. */
  refund(paymentId: string): Promise<void>;
  /** Creates a subscriber, the same for the same call within a day. `lost`: the one in whose place it is. Resolves to their ID. */
  createCustomer(user: { readonly userId: string; readonly email: string | undefined; readonly lost: string | undefined }): Promise<string>;
  /** Whether the platform knows a subscriber: not one who was deleted there, or is of another account there that the server had before. */
  knowsCustomer(customer: string): Promise<boolean>;
  /** Ends the checkouts of a subscriber that can still be paid. */
  endSubscriptionCheckouts(customer: string): Promise<void>;
  openSubscription(subscription: NewSubscription): Promise<OpenedCheckout>;
  /** The prices of the plans by their IDs, as they were within the last hour; not those without one fixed amount. */
  readPlanPrices(): Promise<ReadonlyMap<string, PlanPrice>>;
  /** Undefined if the platform has no such subscription. */
  readSubscription(id: string): Promise<SubscriptionFacts | undefined>;
  /** The subscriptions of a subscriber that have not ended; none of one that the platform does not know. */
  listSubscriptions(customer: string): Promise<readonly string[]>;
  /**
   * Makes all subscriptions of a subscriber what they should be: `paused` ones take no payments until they are `running` again, `ended` ones never
   * again. Ends the checkouts that would begin others, unless they are `running`.
   */
  adjustSubscriptions(customer: string, wanted: WantedSubscriptions): Promise<void>;
  /** A page where a subscriber changes how they pay, or cancels; works for minutes. Undefined if the platform does not know them. */
  createPortalLink(customer: string, returnUrl: string): Promise<string | undefined>;
  /** Describes the operator's account, and its webhooks that lead to a URL. */
  readPlatform(webhookUrl: string): Promise<PlatformFacts>;
  /** Verifies the signature of a webhook's body. Throws PaymentError with the kind `refused` if it is wrong or old. */
  readEvent(body: string, signature: string): Promise<PaymentEvent>;
}

/** Why the payment platform did not do what was asked: it does not respond (`unavailable`), or it refuses (`refused`). */
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
