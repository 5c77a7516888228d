import type { Stripe } from "stripe";
import { newId, type State, toList } from "./state.ts";

/** The customer, the price and the metadata of a new subscription. */
export interface NewSubscription {
  readonly customer: Stripe.Customer;
  readonly items: readonly { readonly price: Stripe.Price; readonly quantity: number }[];
  readonly metadata: Stripe.Metadata;
  readonly description: string | undefined;
}

export function toSubscription(state: State, { customer, items, metadata, description }: NewSubscription): Stripe.Subscription {
  const id = newId("sub");
  const now = state.now();
  return {
    id,
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: now,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: "included" }, type: "flexible" },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: "charge_automatically",
    created: now,
    currency: items[0]?.price.currency ?? "usd",
    customer: customer.id,
    customer_account: null,
    days_until_due: null,
    default_payment_method: newId("pm"),
    default_source: null,
    default_tax_rates: [],
    description: description ?? null,
    discounts: [],
    ended_at: null,
    invoice_settings: { account_tax_ids: null, custom_fields: null, description: null, footer: null, issuer: { type: "self" } },
    items: toList(
      items.map(({ price, quantity }) => toItem(id, price, quantity, now)),
      `/v1/subscription_items?subscription=${id}`,
    ),
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: { payment_method_options: null, payment_method_types: null, save_default_payment_method: "off" },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: "active",
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: "create_invoice" } },
    trial_start: null,
  };
}

function toItem(subscription: string, price: Stripe.Price, quantity: number, now: number): Stripe.SubscriptionItem {
  return {
    id: newId("si", 14),
    object: "subscription_item",
    billing_thresholds: null,
    created: now,
    current_period_end: addInterval(now, price.recurring),
    current_period_start: now,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: toPlan(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  };
}

/** Makes the older description of a recurring price. */
function toPlan(price: Stripe.Price): Stripe.Plan {
  return {
    id: price.id,
    object: "plan",
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? "month",
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: "licensed",
  };
}

/** Returns the end of a period that starts at `seconds`. The 31st of a month becomes the last day of a shorter month. */
export function addInterval(seconds: number, recurring: Stripe.Price.Recurring | null): number {
  const { interval, interval_count: count } = recurring ?? { interval: "month", interval_count: 1 };
  if (interval === "day" || interval === "week") return seconds + count * (interval === "day" ? 1 : 7) * 86_400;
  const date = new Date(seconds * 1000);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count * (interval === "year" ? 12 : 1));
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return Math.floor(date.getTime() / 1000);
}
