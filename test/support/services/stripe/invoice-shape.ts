import { Stripe } from "stripe";
import { newId, type State, toList } from "./state.ts";

export interface NewInvoice {
  readonly subscription: Stripe.Subscription;
  readonly customer: Stripe.Customer;
  readonly reason: "subscription_create" | "subscription_cycle";
}

/** Makes an invoice of a subscription's current period, finalized and not paid. */
export function toInvoice(state: State, { subscription, customer, reason }: NewInvoice): Stripe.Invoice {
  const id = newId("in");
  const now = state.now();
  const lines = subscription.items.data.map((item) => toLine(id, subscription, item));
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const sequence = customer.next_invoice_sequence ?? 1;
  customer.next_invoice_sequence = sequence + 1;
  return {
    id,
    object: "invoice",
    account_country: "US",
    account_name: "filehost",
    account_tax_ids: null,
    amount_due: total,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: total,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: reason,
    collection_method: "charge_automatically",
    created: now,
    currency: subscription.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: now,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: `${state.baseUrl}/i/${id}`,
    invoice_pdf: `${state.baseUrl}/i/${id}/pdf`,
    issuer: { type: "self" },
    last_finalization_error: null,
    latest_revision: null,
    lines: toList(lines, `/v1/invoices/${id}/lines`),
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: `${customer.invoice_prefix}-${String(sequence).padStart(4, "0")}`,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: "subscription_details",
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: now,
    period_start: now,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: "open",
    status_transitions: { finalized_at: now, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: total,
    subtotal_excluding_tax: total,
    test_clock: null,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  };
}

function toLine(invoice: string, subscription: Stripe.Subscription, item: Stripe.SubscriptionItem): Stripe.InvoiceLineItem {
  const { price, quantity = 1 } = item;
  const amount = (price.unit_amount ?? 0) * quantity;
  return {
    id: newId("il"),
    object: "line_item",
    amount,
    currency: price.currency,
    description: `${quantity} × ${price.id}`,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice,
    livemode: false,
    metadata: subscription.metadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: null,
        subscription: subscription.id,
        subscription_item: item.id,
      },
      type: "subscription_item_details",
    },
    period: { end: item.current_period_end, start: item.current_period_start },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: price.id, product: typeof price.product === "string" ? price.product : price.product.id },
      type: "price_details",
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity,
    quantity_decimal: Stripe.Decimal.from(quantity),
    subscription: subscription.id,
    subtotal: amount,
    taxes: [],
  };
}
