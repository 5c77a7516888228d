import type { Stripe } from "stripe";
import { toInvoice } from "./invoice-shape.ts";
import { beginPayment, fail, succeed } from "./payments.ts";
import type { World } from "./route.ts";
import { getKnown, idOf } from "./state.ts";
import { addInterval, type NewSubscription, toSubscription } from "./subscription-shapes.ts";

export const isEnded = ({ status }: Stripe.Subscription): boolean => status === "canceled";

export const periodEndOf = ({ items }: Stripe.Subscription): number => Math.min(...items.data.map((item) => item.current_period_end));

/** Plans the end of a subscription, or cancels the planned end. */
export function scheduleEnd({ state }: World, subscription: Stripe.Subscription, atSeconds: number | null): void {
  subscription.cancel_at = atSeconds;
  subscription.cancel_at_period_end = false;
  subscription.canceled_at = atSeconds === null ? null : state.now();
  if (subscription.cancellation_details) subscription.cancellation_details.reason = atSeconds === null ? null : "cancellation_requested";
}

/** Ends a subscription immediately. */
export function end(
  world: World,
  subscription: Stripe.Subscription,
  reason: "cancellation_requested" | "payment_failed",
): Stripe.Subscription {
  const now = world.state.now();
  subscription.status = "canceled";
  subscription.canceled_at ??= now;
  subscription.ended_at = now;
  if (subscription.cancellation_details) subscription.cancellation_details.reason = reason;
  world.emit("customer.subscription.deleted", subscription);
  return subscription;
}

/** Starts a subscription whose first period is paid, unless `isPaid` is false. */
export function startSubscription(world: World, options: NewSubscription, { isPaid = true } = {}): Stripe.Subscription {
  const subscription = toSubscription(world.state, options);
  if (!isPaid) subscription.status = "incomplete";
  world.state.subscriptions.set(subscription.id, subscription);
  world.emit("customer.subscription.created", subscription);
  bill(world, subscription, { reason: "subscription_create", outcome: isPaid ? "paid" : "failed" });
  return subscription;
}

interface Bill {
  readonly reason: "subscription_create" | "subscription_cycle";
  /** The outcome of the payment. `draft`: it is not tried yet. */
  readonly outcome: "paid" | "failed" | "draft";
}

/** Makes the invoice of the current period, and its payment succeeds or fails. While payments are paused, the invoice is void. */
function bill(world: World, subscription: Stripe.Subscription, { reason, outcome }: Bill): void {
  const { state, emit } = world;
  const customer = getKnown(state.customers.get(idOf(subscription.customer) ?? ""), "customer");
  const invoice = toInvoice(state, { subscription, customer, reason });
  state.invoices.set(invoice.id, invoice);
  subscription.latest_invoice = invoice.id;
  if (outcome === "draft") invoice.status = "draft";
  emit("invoice.created", invoice);
  if (outcome === "draft") return;
  emit("invoice.finalized", invoice);
  if (subscription.pause_collection !== null) voidInvoice(world, invoice);
  else if (outcome === "paid") payInvoice(world, invoice);
  else failInvoice(world, invoice);
}

function voidInvoice({ state, emit }: World, invoice: Stripe.Invoice): void {
  Object.assign(invoice, { status: "void", auto_advance: false });
  invoice.status_transitions.voided_at = state.now();
  emit("invoice.voided", invoice);
}

function chargeFor(world: World, invoice: Stripe.Invoice): Stripe.Charge {
  const terms = {
    lineItems: [],
    destination: undefined,
    onBehalfOf: undefined,
    applicationFee: undefined,
    metadata: {},
    description: invoice.billing_reason === "subscription_create" ? "Subscription creation" : "Subscription update",
    receiptEmail: undefined,
  };
  const { amount_due: amount, currency, customer_email: email } = invoice;
  invoice.attempted = true;
  invoice.attempt_count += 1;
  return beginPayment(world, { amount, currency, customer: idOf(invoice.customer) ?? null, terms, email: email ?? "", method: "card" });
}

function payInvoice(world: World, invoice: Stripe.Invoice): void {
  succeed(world, chargeFor(world, invoice));
  Object.assign(invoice, {
    status: "paid",
    amount_paid: invoice.total,
    amount_remaining: 0,
    next_payment_attempt: null,
    auto_advance: false,
  });
  invoice.status_transitions.paid_at = world.state.now();
  world.emit("invoice.paid", invoice);
  world.emit("invoice.payment_succeeded", invoice);
}

function failInvoice(world: World, invoice: Stripe.Invoice): void {
  fail(world, chargeFor(world, invoice));
  invoice.next_payment_attempt = world.state.now() + 3 * 86_400;
  world.emit("invoice.payment_failed", invoice);
}

/** Begins the next period, whether it is paid or not. */
function rollOver(world: World, subscription: Stripe.Subscription, outcome: Bill["outcome"]): void {
  for (const item of subscription.items.data) {
    item.current_period_start = item.current_period_end;
    item.current_period_end = addInterval(item.current_period_start, item.price.recurring);
  }
  bill(world, subscription, { reason: "subscription_cycle", outcome });
  subscription.status = outcome === "failed" ? "past_due" : "active";
  world.emit("customer.subscription.updated", subscription);
}

/** Creates controls for the effects of time, banks and customers on subscriptions. */
export function createSubscriptionControls(world: World) {
  const running = (id: string): Stripe.Subscription => {
    const subscription = getKnown(world.state.subscriptions.get(id), "subscription");
    if (isEnded(subscription)) throw new Error(`The subscription ${id} has ended.`);
    return subscription;
  };
  return {
    /** Ends the period: the next one begins and is paid, or the subscription ends if its end was planned. */
    renew(id: string): void {
      const subscription = running(id);
      if (subscription.cancel_at !== null && subscription.cancel_at <= periodEndOf(subscription))
        end(world, subscription, "cancellation_requested");
      else rollOver(world, subscription, "paid");
    },
    /** Ends the period and begins the next one. Its payment is tried an hour later, by `collect`. */
    beginPeriod: (id: string): void => rollOver(world, running(id), "draft"),
    /** Takes the payment of the period that began, which does not change the subscription. */
    collect(id: string): void {
      const invoice = getKnown(world.state.invoices.get(idOf(running(id).latest_invoice) ?? ""), "invoice");
      if (invoice.status !== "draft") throw new Error(`The invoice ${invoice.id} is ${invoice.status}.`);
      invoice.status = "open";
      world.emit("invoice.finalized", invoice);
      payInvoice(world, invoice);
    },
    /** Begins a subscription for a customer, as the operator does; its first payment fails. Returns its ID. */
    beginUnpaid(customerId: string, priceId: string, metadata: Stripe.Metadata = {}): string {
      const customer = getKnown(world.state.customers.get(customerId), "customer");
      const items = [{ price: getKnown(world.state.prices.get(priceId), "price"), quantity: 1 }];
      return startSubscription(world, { customer, items, metadata, description: undefined }, { isPaid: false }).id;
    },
    /** Stops collecting after the last failed attempt, as the operator's settings may say: the subscription continues and takes no more payments. */
    stopCollecting(id: string): void {
      const subscription = running(id);
      subscription.status = "unpaid";
      world.emit("customer.subscription.updated", subscription);
    },
    /** Ends the period with a failed payment of the next one, which begins nevertheless. The subscription is past_due. */
    failRenewal: (id: string): void => rollOver(world, running(id), "failed"),
    /** Pays the open invoice, as the customer does. */
    recover(id: string): void {
      const subscription = running(id);
      payInvoice(world, getKnown(world.state.invoices.get(idOf(subscription.latest_invoice) ?? ""), "invoice"));
      subscription.status = "active";
      world.emit("customer.subscription.updated", subscription);
    },
    /** Ends the subscription immediately, as after the last failed attempt (`payment_failed`) or by the operator. */
    end: (id: string, reason: "cancellation_requested" | "payment_failed" = "cancellation_requested"): void => {
      end(world, running(id), reason);
    },
    /** Removes the subscription from Stripe, as if the key belonged to another account. */
    forget: (id: string): void => void world.state.subscriptions.delete(id),
    /** Removes the customer from Stripe. */
    forgetCustomer: (id: string): void => void world.state.customers.delete(id),
    /**
     * Cancels on the portal, as the customer does: at the end of the period, as a time, because Stripe's flexible billing sets no
     * cancel_at_period_end.
     */
    cancelOnPortal(id: string): void {
      const subscription = running(id);
      scheduleEnd(world, subscription, periodEndOf(subscription));
      world.emit("customer.subscription.updated", subscription);
    },
    /** Resumes the subscription on the portal, as the customer does. */
    resumeOnPortal(id: string): void {
      const subscription = running(id);
      scheduleEnd(world, subscription, null);
      world.emit("customer.subscription.updated", subscription);
    },
  };
}

export type SubscriptionControls = ReturnType<typeof createSubscriptionControls>;

/** Renews or ends the subscriptions whose period has ended. */
export function renewOverdue(world: World): void {
  const controls = createSubscriptionControls(world);
  for (const subscription of world.state.subscriptions.values()) {
    while (!isEnded(subscription) && Math.min(subscription.cancel_at ?? Infinity, periodEndOf(subscription)) <= world.state.now()) {
      controls.renew(subscription.id);
    }
  }
}
