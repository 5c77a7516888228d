import type { Stripe } from "stripe";
import type { PaymentEvent, SubscriptionFacts, WantedSubscriptions } from "./payments.ts";
import { findKnown } from "./stripe-errors.ts";

const ENDED_STATES: ReadonlySet<Stripe.Subscription.Status> = new Set(["canceled", "incomplete", "incomplete_expired", "paused", "unpaid"]);

/** Number of invoices to read. One period has fewer, even if the plan changes within it. */
export const LAST_INVOICES = 10;

/** Converts a subscription to facts. `paid` lists the last paid invoices, because a period begins before it is paid. */
export function toSubscriptionFacts(
  { status, items, customer, metadata, ...subscription }: Stripe.Subscription,
  paid: readonly Stripe.Invoice[],
): SubscriptionFacts {
  const periodEnd = Math.max(0, ...items.data.map((item) => item.current_period_end));
  // A negative amount is the rest of a plan that another one has replaced.
  const paidEnds = paid.flatMap(({ lines }) => lines.data.filter(({ amount }) => amount >= 0).map(({ period }) => period.end));
  const paidUntil = Math.min(periodEnd, Math.max(subscription.start_date, ...paidEnds));
  return {
    customer: toId(customer),
    plan: metadata.plan,
    state: ENDED_STATES.has(status) ? "ended" : status === "past_due" ? "late" : "active",
    paidUntilMs: Math.min(paidUntil, subscription.ended_at ?? paidUntil) * 1000,
    endsThen: subscription.cancel_at_period_end || subscription.cancel_at !== null,
  };
}

/** Maximum number of a customer's subscriptions and open checkouts to read, which are few. */
const ALL = 100;

/** Implements `adjustSubscriptions` of `Payments`. */
export async function adjustSubscriptions(stripe: Stripe, customer: string, wanted: WantedSubscriptions): Promise<void> {
  // A customer that is deleted at Stripe, or belongs to a previous account of the operator, has nothing to adjust.
  if (!(await knowsCustomer(stripe, customer))) return;
  if (wanted !== "running") await endSubscriptionCheckouts(stripe, customer);
  for (const { id, pause_collection } of (await stripe.subscriptions.list({ customer, limit: ALL })).data) {
    if (wanted === "ended") await stripe.subscriptions.cancel(id);
    else if (wanted === "paused" && pause_collection === null)
      await stripe.subscriptions.update(id, { pause_collection: { behavior: "void" } });
    else if (wanted === "running" && pause_collection !== null) await stripe.subscriptions.update(id, { pause_collection: "" });
  }
}

/** Implements `knowsCustomer` of `Payments`. */
export async function knowsCustomer(stripe: Stripe, customer: string): Promise<boolean> {
  const known = await findKnown(stripe.customers.retrieve(customer));
  return known !== undefined && known.deleted !== true;
}

/** Implements `endSubscriptionCheckouts` of `Payments`. */
export async function endSubscriptionCheckouts({ checkout: { sessions } }: Stripe, customer: string): Promise<void> {
  for (const { id } of (await sessions.list({ customer, status: "open", limit: ALL })).data)
    await sessions.expire(id).catch(async (error: unknown) => {
      // The checkout was paid or ended meanwhile.
      if ((await sessions.retrieve(id)).status === "open") throw error;
    });
}

/** Returns the event of a subscription's change. An object without a subscription gives an event that the server ignores. */
export function toSubscriptionEvent({
  subscription,
  customer,
}: {
  readonly subscription: string | { readonly id: string } | null;
  readonly customer: string | { readonly id: string } | null;
}): PaymentEvent {
  if (!subscription || !customer) return { kind: "other" };
  return { kind: "subscription", id: toId(subscription), customer: toId(customer) };
}

const toId = (reference: string | { readonly id: string }): string => (typeof reference === "string" ? reference : reference.id);
