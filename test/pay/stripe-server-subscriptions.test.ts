import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Stripe } from "stripe";
import { connectTo, refusalOf } from "../support/services/stripe/client.ts";
import { addInterval } from "../support/services/stripe/subscription-shapes.ts";
import { startStripe, type TestStripe } from "../support/services/stripe.ts";

const DAY = 86_400;

async function subscribe(server: TestStripe) {
  const client = connectTo(server);
  const checkout = {
    mode: "subscription",
    line_items: [{ price: server.addPlan({ unitAmount: 900 }), quantity: 1 }],
    subscription_data: { metadata: { user: "u1" } },
    customer_email: "user@example.org",
    success_url: "https://files.example.org/account",
  } satisfies Stripe.Checkout.SessionCreateParams;
  const { id } = await client.checkout.sessions.create(checkout);
  server.checkouts.pay(id);
  const session = await client.checkout.sessions.retrieve(id, { expand: ["subscription", "customer"] });
  return { client, session, subscription: session.subscription as Stripe.Subscription }; // It was expanded.
}

const endOf = ({ items }: Stripe.Subscription): number => items.data[0]?.current_period_end ?? 0;

describe("subscriptions at the Stripe of the tests", () => {
  test("a checkout begins one, with a customer and a paid invoice", async () => {
    await using server = await startStripe();
    const { client, session, subscription } = await subscribe(server);
    assert.deepEqual([session.status, session.payment_status, session.payment_intent], ["complete", "paid", null]);
    assert.equal((session.customer as Stripe.Customer).email, "user@example.org"); // It was expanded.
    assert.deepEqual([subscription.status, subscription.metadata.user], ["active", "u1"]);
    assert.ok(endOf(subscription) >= subscription.created + 28 * DAY);
    const invoice = await client.invoices.retrieve(String(subscription.latest_invoice));
    assert.deepEqual(
      [invoice.status, invoice.amount_paid, invoice.parent?.subscription_details?.subscription],
      ["paid", 900, subscription.id],
    );
    const { data } = await client.subscriptions.list({ customer: String(subscription.customer) });
    assert.deepEqual(
      data.map(({ id }) => id),
      [subscription.id],
    );
    const price = await client.prices.retrieve(data[0]?.items.data[0]?.price.id ?? "");
    assert.deepEqual([price.type, price.recurring?.interval, String(price.unit_amount_decimal)], ["recurring", "month", "900"]);
  });

  test("it is renewed, falls behind while the new period has begun, recovers, and ends", async () => {
    await using server = await startStripe();
    const { client, subscription } = await subscribe(server);
    const read = () => client.subscriptions.retrieve(subscription.id);
    server.subscriptions.renew(subscription.id);
    const renewed = await read();
    assert.ok(renewed.status === "active" && endOf(renewed) > endOf(subscription));
    server.subscriptions.failRenewal(subscription.id);
    const behind = await read();
    assert.ok(behind.status === "past_due" && endOf(behind) > endOf(renewed));
    assert.equal((await client.invoices.retrieve(String(behind.latest_invoice))).status, "open");
    server.subscriptions.recover(subscription.id);
    assert.equal((await read()).status, "active");
    server.subscriptions.end(subscription.id, "payment_failed");
    const ended = await read();
    assert.deepEqual([ended.status, ended.cancellation_details?.reason], ["canceled", "payment_failed"]);
    assert.equal((await client.subscriptions.list()).data.length, 0);
    assert.equal((await client.subscriptions.list({ status: "all" })).data.length, 1);
    assert.throws(() => server.subscriptions.renew(subscription.id), /has ended/);
    assert.match((await refusalOf(client.subscriptions.update(ended.id, { cancel_at_period_end: true }))).message, /canceled subscription/);
    const types = server.events().map(({ type }) => type);
    for (const type of [
      "invoice.paid",
      "invoice.payment_failed",
      "customer.subscription.updated",
      "customer.subscription.deleted",
    ] as const) {
      assert.ok(types.includes(type), type);
    }
  });

  test("it is canceled at the end of its period, by the API or on the portal, until that is taken back", async () => {
    await using server = await startStripe();
    const { client, subscription } = await subscribe(server);
    const asked = await client.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    assert.deepEqual([asked.status, asked.cancel_at_period_end, asked.cancel_at], ["active", true, endOf(subscription)]);
    const kept = await client.subscriptions.update(subscription.id, { cancel_at_period_end: false });
    assert.deepEqual([kept.cancel_at_period_end, kept.cancel_at], [false, null]);
    const portal = await client.billingPortal.sessions.create({
      customer: String(subscription.customer),
      return_url: "https://files.example.org/account",
    });
    assert.match(await (await fetch(portal.url)).text(), /Cancel plan.*https:\/\/files\.example\.org\/account/s);
    const press = (action: string) =>
      fetch(portal.url, { method: "POST", body: new URLSearchParams({ action, subscription: subscription.id }) });
    assert.match(await (await press("cancel")).text(), /Don't cancel plan/);
    assert.equal((await client.subscriptions.retrieve(subscription.id)).cancel_at, endOf(subscription));
    await press("resume");
    assert.equal((await client.subscriptions.retrieve(subscription.id)).cancel_at, null);
    await press("cancel");
    server.advance(32 * DAY);
    const ended = await client.subscriptions.retrieve(subscription.id);
    assert.deepEqual([ended.status, endOf(ended)], ["canceled", endOf(subscription)]);
  });

  test("time renews it", async () => {
    await using server = await startStripe();
    const { client, subscription } = await subscribe(server);
    server.advance(93 * DAY);
    const { status, items } = await client.subscriptions.retrieve(subscription.id);
    assert.equal(status, "active");
    assert.ok((items.data[0]?.current_period_end ?? 0) > endOf(subscription) + 80 * DAY);
    assert.ok(server.events("invoice.paid").length >= 3);
  });

  test("a checkout takes the prices of its mode alone", async () => {
    await using server = await startStripe();
    const client = connectTo(server);
    const price = server.addPlan();
    const page = { success_url: "https://files.example.org/" };
    const wrong = client.checkout.sessions.create({ ...page, mode: "payment", line_items: [{ price, quantity: 1 }] });
    assert.match((await refusalOf(wrong)).message, /passed a recurring price/);
    const data = { currency: "usd", unit_amount: 500, product_data: { name: "Once" } };
    const once = client.checkout.sessions.create({ ...page, mode: "subscription", line_items: [{ price_data: data, quantity: 1 }] });
    assert.match((await refusalOf(once)).message, /at least one recurring price/);
    const none = client.checkout.sessions.create({ ...page, mode: "subscription", line_items: [{ price: "price_none", quantity: 1 }] });
    assert.equal((await refusalOf(none)).param, "line_items[0][price]");
    server.archivePlan(price);
    const archived = client.checkout.sessions.create({ ...page, mode: "subscription", line_items: [{ price, quantity: 1 }] });
    assert.match((await refusalOf(archived)).message, /price specified is inactive/);
  });

  test("a month that begins on the 31st ends on the last day of a shorter one", () => {
    const at = (day: string) => Date.parse(`${day}T10:00:00Z`) / 1000;
    const every = (interval: string, count = 1): Stripe.Price.Recurring => ({
      interval,
      interval_count: count,
      meter: null,
      trial_period_days: null,
      usage_type: "licensed",
    });
    assert.equal(addInterval(at("2027-01-31"), every("month")), at("2027-02-28"));
    assert.equal(addInterval(at("2028-02-29"), every("year")), at("2029-02-28"));
    assert.equal(addInterval(at("2027-12-15"), every("month", 2)), at("2028-02-15"));
    assert.equal(addInterval(at("2027-12-30"), every("week")), at("2028-01-06"));
  });
});
