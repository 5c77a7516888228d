import assert from "node:assert/strict";
import { test } from "node:test";
import type { Stripe } from "stripe";
import { toSubscriptionFacts } from "../../src/pay/stripe-subscriptions.ts";
import { createCustomer } from "../support/services/stripe/customers.ts";
import { createEvents } from "../support/services/stripe/events.ts";
import { toInvoice } from "../support/services/stripe/invoice-shape.ts";
import { addPrice, addProduct } from "../support/services/stripe/line-items.ts";
import { createState } from "../support/services/stripe/state.ts";
import { toSubscription } from "../support/services/stripe/subscription-shapes.ts";

const DAY = 86_400;

/** A monthly subscription, and the invoice of its period. */
function subscribe() {
  const state = createState("http://stripe.test");
  const { emit, endpoints, log } = createEvents(state, "whsec_test");
  const customer = createCustomer({ state, emit, endpoints, events: log }, { email: "user@example.org" });
  const product = addProduct(state, { name: "Pro" }).id;
  const price = addPrice(state, { product, unitAmount: 900, currency: "usd", recurring: { interval: "month" } });
  const items = [{ price, quantity: 1 }];
  const subscription = toSubscription(state, { customer, items, metadata: { plan: "pro" }, description: undefined });
  const invoice = toInvoice(state, { subscription, customer, reason: "subscription_cycle" });
  const [line] = invoice.lines.data;
  assert.ok(line);
  return { subscription, invoice, line, start: subscription.start_date, end: line.period.end };
}

const paidUntil = (subscription: Stripe.Subscription, paid: readonly Stripe.Invoice[]) =>
  toSubscriptionFacts(subscription, paid).paidUntilMs / 1000;

/** selling, "Pro". */
test("the paid time ends with the last period that was paid, and is none before the first payment", () => {
  const { subscription, invoice, start, end } = subscribe();
  assert.equal(paidUntil(subscription, []), start);
  assert.equal(paidUntil(subscription, [invoice]), end);
  for (const item of subscription.items.data) Object.assign(item, { current_period_start: end, current_period_end: end + 30 * DAY });
  assert.equal(paidUntil(subscription, [invoice]), end);
});

test("the paid time does not exceed the period after a change to a shorter plan, whose invoice credits the rest of the longer one", () => {
  const { subscription, invoice, line, start, end } = subscribe();
  const credit = { ...line, amount: -9000, period: { start, end: start + 300 * DAY } };
  const change = { ...invoice, lines: { ...invoice.lines, data: [credit, line] } };
  assert.equal(paidUntil(subscription, [change]), end);
  const yearly = { ...invoice, lines: { ...invoice.lines, data: [{ ...line, period: { start, end: start + 365 * DAY } }] } };
  assert.equal(paidUntil(subscription, [change, yearly]), end);
  // The credit alone pays for nothing.
  assert.equal(paidUntil(subscription, [{ ...change, lines: { ...invoice.lines, data: [credit] } }]), start);
});

test("the paid time ends when the subscription is ended within its period", () => {
  const { subscription, invoice, start } = subscribe();
  Object.assign(subscription, { status: "canceled", ended_at: start + DAY });
  assert.equal(paidUntil(subscription, [invoice]), start + DAY);
});

test("each state at Stripe is one of three here", () => {
  const { subscription } = subscribe();
  const states = {
    active: "active",
    trialing: "active",
    past_due: "late",
    unpaid: "ended",
    canceled: "ended",
    incomplete: "ended",
  } as const;
  for (const [status, state] of Object.entries({ ...states, incomplete_expired: "ended", paused: "ended" }))
    assert.equal(toSubscriptionFacts({ ...subscription, status: status as Stripe.Subscription.Status }, []).state, state, status);
});
