import { randomInt } from "node:crypto";
import type { Stripe } from "stripe";

/** The operator's account. */
export const PLATFORM = "platform";

type EntryType =
  | "charge"
  | "stripe_fee"
  | "transfer"
  | "payment"
  | "application_fee"
  | "refund"
  | "transfer_reversal"
  | "payment_refund"
  | "application_fee_refund"
  | "dispute"
  | "dispute_fee"
  | "dispute_reversal";

/** A movement of money into an account (more than 0) or out of it. */
export interface LedgerEntry {
  /** `PLATFORM` or a seller's ID. */
  readonly account: string;
  readonly type: EntryType;
  readonly amountCents: number;
  /** The ID of the charge. */
  readonly charge: string;
}

/** The terms of a checkout that Stripe stores beside the session. */
export interface CheckoutTerms {
  readonly lineItems: readonly Stripe.LineItem[];
  readonly destination: string | undefined;
  readonly onBehalfOf: string | undefined;
  readonly applicationFee: number | undefined;
  /** The metadata of the payment or the subscription. */
  readonly metadata: Stripe.Metadata;
  readonly description: string | undefined;
  readonly receiptEmail: string | undefined;
}

/** A page that opens once, by its link. */
export interface HostedLink {
  readonly kind: "dashboard" | "onboarding" | "portal";
  /** The ID of the account or the customer. */
  readonly subject: string;
  readonly returnUrl: string | undefined;
  readonly refreshUrl: string | undefined;
  readonly expiresAt: number;
  isUsed: boolean;
}

/** Creates the state. Its objects are stored in the form of responses, before `expand`. */
export function createState(baseUrl: string) {
  let skewSeconds = 0;
  return {
    baseUrl,
    accounts: new Map<string, Stripe.Account>(),
    sessions: new Map<string, Stripe.Checkout.Session>(),
    intents: new Map<string, Stripe.PaymentIntent>(),
    charges: new Map<string, Stripe.Charge>(),
    refunds: new Map<string, Stripe.Refund>(),
    disputes: new Map<string, Stripe.Dispute>(),
    transfers: new Map<string, Stripe.Transfer>(),
    transferReversals: new Map<string, Stripe.TransferReversal>(),
    fees: new Map<string, Stripe.ApplicationFee>(),
    products: new Map<string, Stripe.Product>(),
    prices: new Map<string, Stripe.Price>(),
    customers: new Map<string, Stripe.Customer>(),
    subscriptions: new Map<string, Stripe.Subscription>(),
    invoices: new Map<string, Stripe.Invoice>(),
    /** The terms by the IDs of checkouts. */
    terms: new Map<string, CheckoutTerms>(),
    /** The links by the secret part of their addresses. */
    links: new Map<string, HostedLink>(),
    ledger: [] as LedgerEntry[],
    /** Whether the platform may have sellers. */
    hasConnect: true,
    /** Returns the seconds since 1970. */
    now: () => Math.floor(Date.now() / 1000) + skewSeconds,
    addSeconds(seconds: number) {
      skewSeconds += seconds;
    },
  };
}

export type State = ReturnType<typeof createState>;

const CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Makes an ID such as `ch_3Q…`, with the length of Stripe's IDs. */
export function newId(prefix: string, length = prefix === "acct" ? 16 : prefix === "cus" ? 14 : prefix === "cs_test" ? 58 : 24): string {
  return `${prefix}_${Array.from({ length }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join("")}`;
}

/** Finds the object with an ID, of any kind. */
export function findObject(state: State, id: string): object | undefined {
  const tables = [
    state.accounts,
    state.sessions,
    state.intents,
    state.charges,
    state.refunds,
    state.disputes,
    state.transfers,
    state.transferReversals,
    state.fees,
    state.products,
    state.prices,
    state.customers,
    state.subscriptions,
    state.invoices,
  ];
  return tables.map((table) => table.get(id)).find((object) => object !== undefined);
}

/** Returns the ID of a reference, which is an ID or an expanded object. */
export const idOf = (reference: string | { readonly id: string } | null | undefined): string | undefined =>
  typeof reference === "string" ? reference : reference?.id;

/** Returns a value that must exist, for references within the state, which are never broken. */
export function getKnown<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Error(`The Stripe of the tests knows no ${what}.`);
  return value;
}

/** Makes a list in the form of the API. `data` has the newest first. */
export const toList = <T>(data: T[], url: string, hasMore = false): Stripe.ApiList<T> => ({ object: "list", data, has_more: hasMore, url });

/** Merges metadata as updates do: an empty value removes a name. */
export function mergeMetadata(old: Stripe.Metadata | null | undefined, changes: Stripe.Metadata | undefined): Stripe.Metadata {
  return Object.fromEntries(Object.entries({ ...old, ...changes }).filter(([, value]) => value !== ""));
}
