import type { Stripe } from "stripe";
import { createCachedValue } from "../lib/concurrency/cached-value.ts";
import { HOUR_MS } from "../lib/text/duration.ts";
import {
  type CheckoutFacts,
  type NewSale,
  type OpenedCheckout,
  PaymentError,
  type PaymentEvent,
  type Payments,
  type PlanPrice,
  type PlatformFacts,
  type SellerFacts,
  type Settlement,
} from "./payments.ts";
import { createOnce } from "./stripe-create-once.ts";
import { findKnown, toPaymentError } from "./stripe-errors.ts";
import type { PaymentSettings } from "./stripe-settings.ts";
import {
  adjustSubscriptions,
  endSubscriptionCheckouts,
  knowsCustomer,
  LAST_INVOICES,
  toSubscriptionEvent,
  toSubscriptionFacts,
} from "./stripe-subscriptions.ts";

const TIMEOUT_MS = 15_000;
const RETRIES = 2;

/** Opens payments with Stripe Connect: the operator's account takes each payment for the seller, and keeps its fee (selling, "Purchases"). */
export async function openStripe(settings: PaymentSettings): Promise<Payments> {
  const { default: Stripe } = await import("stripe");
  const api = new URL(settings.apiUrl);
  const stripe = new Stripe(settings.secretKey, {
    host: api.hostname,
    port: api.port || (api.protocol === "https:" ? "443" : "80"),
    protocol: api.protocol === "https:" ? "https" : "http",
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  });
  const attempt = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    try {
      return await act();
    } catch (error) {
      throw toPaymentError(error, Stripe.errors);
    }
  };
  const planPrices = createCachedValue({ now: Date.now, make: () => readPlanPrices(stripe, settings), maxAgeMs: () => HOUR_MS });
  return {
    createSeller: ({ userId, email, country, lost }) =>
      attempt(async () => {
        const account = {
          controller: {
            fees: { payer: "application" },
            losses: { payments: "application" },
            stripe_dashboard: { type: "express" },
          },
          capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
          metadata: { user: userId },
          ...(email !== undefined && { email }),
          ...(country !== undefined && { country }),
        } satisfies Stripe.AccountCreateParams;
        return (await createOnce(["seller", userId, email, country, lost], (options) => stripe.accounts.create(account, options))).id;
      }),
    createOnboardingLink: (account, { returnUrl, refreshUrl }) =>
      attempt(async () => {
        const link = { account, return_url: returnUrl, refresh_url: refreshUrl, type: "account_onboarding" } as const;
        return (await stripe.accountLinks.create(link)).url;
      }),
    createLoginLink: (account) => attempt(async () => (await stripe.accounts.createLoginLink(account)).url),
    readSeller: (account) => attempt(async () => toSeller(await findKnown(stripe.accounts.retrieve(account)))),
    openCheckout: (sale, key) =>
      attempt(async () => toOpened(await stripe.checkout.sessions.create(toSession(sale), { idempotencyKey: key }))),
    readCheckout: (id) =>
      attempt(async () => {
        const session = await findKnown(stripe.checkout.sessions.retrieve(id, { expand: ["payment_intent.latest_charge"] }));
        if (!session) return UNKNOWN_CHECKOUT;
        const charge = chargeOf(session);
        const isContested = charge?.disputed === true && (await isDisputed(stripe, charge.id));
        return toCheckout(session, { isContested });
      }),
    endCheckout: (id) => attempt(async () => void (await stripe.checkout.sessions.expire(id))),
    refund: (paymentId) =>
      attempt(async () => {
        const { latest_charge: charge } = await stripe.paymentIntents.retrieve(paymentId, { expand: ["latest_charge"] });
        if (typeof charge !== "object" || charge === null || charge.refunded) return;
        // Stripe refuses to refund a fee that was not taken. Without a key of ours: it repeats a refusal that no longer holds.
        const refund_application_fee = charge.application_fee !== null;
        await stripe.refunds.create({ payment_intent: paymentId, reverse_transfer: true, refund_application_fee });
      }),
    createCustomer: ({ userId, email, lost }) =>
      attempt(async () => {
        const customer = { metadata: { user: userId }, ...(email !== undefined && { email }) };
        return (await createOnce(["customer", userId, email, lost], (options) => stripe.customers.create(customer, options))).id;
      }),
    knowsCustomer: (customer) => attempt(() => knowsCustomer(stripe, customer)),
    endSubscriptionCheckouts: (customer) => attempt(() => endSubscriptionCheckouts(stripe, customer)),
    openSubscription: ({ customer, userId, plan, price, successUrl, cancelUrl, language }) =>
      attempt(async () => {
        const metadata = { user: userId, plan };
        return toOpened(
          await stripe.checkout.sessions.create({
            mode: "subscription",
            customer,
            line_items: [{ price, quantity: 1 }],
            subscription_data: { metadata },
            metadata,
            client_reference_id: userId,
            success_url: successUrl,
            cancel_url: cancelUrl,
            locale: LOCALES[language ?? ""] ?? "auto",
          }),
        );
      }),
    readPlanPrices: () => attempt(() => planPrices.get()),
    readSubscription: (id) =>
      attempt(async () => {
        const subscription = await findKnown(stripe.subscriptions.retrieve(id));
        if (!subscription) return undefined;
        const paid = await stripe.invoices.list({ subscription: id, status: "paid", limit: LAST_INVOICES });
        return toSubscriptionFacts(subscription, paid.data);
      }),
    listSubscriptions: (customer) =>
      attempt(async () => {
        const list = await findKnown(stripe.subscriptions.list({ customer }));
        // Omits a subscription whose first payment failed, because it takes no money.
        return (list?.data ?? []).filter(({ status }) => status !== "incomplete").map(({ id }) => id);
      }),
    adjustSubscriptions: (customer, wanted) => attempt(() => adjustSubscriptions(stripe, customer, wanted)),
    createPortalLink: (customer, returnUrl) =>
      attempt(async () => (await findKnown(stripe.billingPortal.sessions.create({ customer, return_url: returnUrl })))?.url),
    readPlatform: (webhookUrl) =>
      attempt(() => readPlatform(stripe, settings, { webhookUrl, version: Stripe.API_VERSION, release: Stripe.MAJOR_API_VERSION })),
    readEvent: (body, signature) =>
      attempt(async () => {
        let refusal: unknown;
        for (const secret of settings.webhookSecrets) {
          try {
            return toEvent(await stripe.webhooks.constructEventAsync(body, signature, secret));
          } catch (error) {
            refusal = error;
          }
        }
        throw refusal;
      }),
  };
}

/** The types of the events that the server requires (selling, "The webhook"). */
const EVENTS = [
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
  "checkout.session.expired",
  "charge.refunded",
  "charge.dispute.created",
  "charge.dispute.updated",
  "charge.dispute.closed",
  "charge.dispute.funds_withdrawn",
  "charge.dispute.funds_reinstated",
] as const;
const PLAN_EVENTS = [
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
  "invoice.paid",
] as const;

interface ApiVersion {
  readonly version: string;
  /** The release of the version. All versions of a release have the same forms. */
  readonly release: string;
}

async function readPlatform(
  stripe: Stripe,
  { plans, secretKey }: PaymentSettings,
  { webhookUrl, version, release }: ApiVersion & { readonly webhookUrl: string },
): Promise<PlatformFacts> {
  const account = await stripe.accounts.retrieveCurrent();
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 });
  const wanted: readonly string[] = [...EVENTS, ...(plans.length > 0 ? PLAN_EVENTS : [])];
  const prices = await Promise.all(plans.map(({ stripePrice }) => stripe.prices.retrieve(stripePrice).catch(() => undefined)));
  return {
    account: account.settings?.dashboard.display_name || account.id,
    isLive: /^[rs]k_live_/.test(secretKey),
    acceptsPayments: account.charges_enabled,
    webhooks: data
      .filter(({ url }) => url === webhookUrl)
      .map(({ status, enabled_events: enabled, api_version }) => ({
        isEnabled: status === "enabled",
        otherVersion: api_version === null || api_version.endsWith(`.${release}`) ? undefined : api_version,
        missingEvents: enabled.includes("*") ? [] : wanted.filter((event) => !enabled.includes(event as (typeof enabled)[number])),
      })),
    apiVersion: version,
    wrongPlans: plans.filter((_, index) => !prices[index]?.active || prices[index]?.recurring == null).map(({ id }) => id),
  };
}

async function readPlanPrices(stripe: Stripe, { plans }: PaymentSettings): Promise<ReadonlyMap<string, PlanPrice>> {
  const prices = await Promise.all(plans.map(({ stripePrice }) => stripe.prices.retrieve(stripePrice)));
  return new Map(
    prices.flatMap(({ id, unit_amount: amount, currency, recurring }) =>
      amount === null || recurring === null || !isUnit(recurring.interval)
        ? []
        : [[id, { amount, currency: currency.toUpperCase(), count: recurring.interval_count, unit: recurring.interval }] as const],
    ),
  );
}

const UNITS: readonly string[] = ["day", "week", "month", "year"] satisfies PlanPrice["unit"][];

const isUnit = (interval: string): interval is PlanPrice["unit"] => UNITS.includes(interval);

function toSession({ shortId, title, amountCents, feeCents, sellerAccount, expiresAtMs, ...sale }: NewSale) {
  const metadata = { share: shortId };
  return {
    mode: "payment",
    line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: amountCents, product_data: { name: title, metadata } } }],
    payment_intent_data: {
      on_behalf_of: sellerAccount,
      transfer_data: { destination: sellerAccount },
      metadata,
      ...(feeCents > 0 && { application_fee_amount: feeCents }),
    },
    metadata,
    client_reference_id: shortId,
    expires_at: Math.floor(expiresAtMs / 1000),
    success_url: sale.successUrl,
    cancel_url: sale.cancelUrl,
    locale: LOCALES[sale.language ?? ""] ?? "auto",
  } satisfies Stripe.Checkout.SessionCreateParams;
}

const LOCALES: Readonly<Record<string, Stripe.Checkout.SessionCreateParams.Locale>> = { de: "de", en: "en", fr: "fr" };

function toSeller(account: Stripe.Account | undefined): SellerFacts {
  return {
    isKnown: account !== undefined,
    detailsSubmitted: account?.details_submitted === true,
    chargesEnabled: account?.charges_enabled === true && account.capabilities?.transfers === "active",
    payoutsEnabled: account?.payouts_enabled === true,
  };
}

function toOpened({ id, url }: Stripe.Checkout.Session): OpenedCheckout {
  if (!url) throw new PaymentError("unavailable", "The payment platform opened a checkout without a page.");
  return { id, url };
}

function chargeOf({ payment_intent: intent }: Stripe.Checkout.Session): Stripe.Charge | undefined {
  const charge = typeof intent === "object" ? intent?.latest_charge : undefined;
  return typeof charge === "object" && charge !== null ? charge : undefined;
}

/** Returns whether the buyer's bank may reverse, or has reversed, the payment. */
async function isDisputed(stripe: Stripe, charge: string): Promise<boolean> {
  const { data } = await stripe.disputes.list({ charge, limit: 100 });
  return data.some(({ status }) => status !== "won" && status !== "warning_closed");
}

function toCheckout(session: Stripe.Checkout.Session, { isContested }: { readonly isContested: boolean }): CheckoutFacts {
  const intent = session.payment_intent;
  return {
    settlement: toSettlement(session, isContested),
    paymentId: (typeof intent === "string" ? intent : intent?.id) ?? undefined,
    amountCents: session.amount_total ?? 0,
    buyerEmail: session.customer_details?.email ?? undefined,
    url: session.status === "open" ? (session.url ?? undefined) : undefined,
  };
}

const UNKNOWN_CHECKOUT: CheckoutFacts = {
  settlement: "unknown",
  paymentId: undefined,
  amountCents: 0,
  buyerEmail: undefined,
  url: undefined,
};

function toSettlement(session: Stripe.Checkout.Session, isContested: boolean): Settlement {
  if (session.status === "expired") return "expired";
  // A payment that takes days leaves the checkout complete and unpaid.
  if (session.payment_status !== "paid") return session.status === "complete" && hasFailed(session) ? "expired" : "open";
  if (chargeOf(session)?.refunded) return "refunded";
  return isContested ? "disputed" : "paid";
}

/** Returns whether a payment that was begun will never arrive. */
function hasFailed({ payment_intent: intent }: Stripe.Checkout.Session): boolean {
  return typeof intent === "object" && (intent?.status === "requires_payment_method" || intent?.status === "canceled");
}

function toEvent(event: Stripe.Event): PaymentEvent {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired":
      return event.data.object.mode === "payment" ? { kind: "checkout", id: event.data.object.id } : toSubscriptionEvent(event.data.object);
    case "charge.refunded":
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.closed":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated": {
      const intent = event.data.object.payment_intent;
      const id = typeof intent === "string" ? intent : intent?.id;
      return id === undefined ? { kind: "other" } : { kind: "payment", id };
    }
    case "account.updated":
      return { kind: "seller", id: event.data.object.id };
    case "account.application.deauthorized":
      return event.account === undefined ? { kind: "other" } : { kind: "seller", id: event.account };
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.deleted":
      return toSubscriptionEvent({ subscription: event.data.object.id, customer: event.data.object.customer });
    case "invoice.paid":
      return toSubscriptionEvent({
        subscription: event.data.object.parent?.subscription_details?.subscription ?? null,
        customer: event.data.object.customer,
      });
    default:
      return { kind: "other" };
  }
}
