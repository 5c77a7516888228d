import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { TestServer } from "../../support/server.ts";
import { startStripe, type TestStripe } from "../../support/stripe.ts";
import { addAccount, getMe } from "../support/accounts.ts";
import { startPlainServer } from "../support/plain-server.ts";
import { lastOf, openProCheckout } from "../support/selling.ts";

/** selling, "Pro": what is paid, and what is only due. */
describe("the paid time of a subscription", () => {
  let stripe: TestStripe;
  let price: string;
  let server: TestServer;
  before(async () => {
    stripe = await startStripe();
    price = stripe.addPlan();
    server = await startPlainServer({
      ...stripe.env,
      FILEHOST_PLANS: JSON.stringify([{ id: "pro", name: "Pro", stripePrice: price }]),
    });
    stripe.sendEventsTo(`${server.url}/api/stripe/webhook`);
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await stripe?.[Symbol.asyncDispose]();
  });

  const openCheckout = (key: string): Promise<string> => openProCheckout(server, key);
  /** The end of an account's Pro, once all events have arrived; 0 without Pro. */
  const proEnd = async (key: string): Promise<number> => {
    await stripe.webhooks.settled();
    const { tier, proUntil } = await getMe(server, key);
    return tier === "pro" ? Date.parse(proUntil ?? "") : 0;
  };

  async function subscribe() {
    const { key } = await addAccount(server);
    stripe.checkouts.pay(await openCheckout(key), { email: "pro@example.org" });
    const { id } = lastOf(stripe, "customer.subscription.created");
    const end = await proEnd(key);
    assert.ok(end > Date.now() + 27 * DAY_MS);
    return { key, id, end };
  }

  test("is extended after the renewal is paid, and not when its period begins", async () => {
    const { key, id, end } = await subscribe();
    stripe.subscriptions.beginPeriod(id);
    assert.equal(await proEnd(key), end);
    stripe.subscriptions.collect(id);
    assert.ok((await proEnd(key)) > end + 27 * DAY_MS);
  });

  test("remains while a renewal fails, also after the last attempt, and is extended after it is paid", async () => {
    const { key, id, end } = await subscribe();
    stripe.subscriptions.failRenewal(id);
    assert.equal(await proEnd(key), end);
    stripe.subscriptions.stopCollecting(id);
    assert.equal(await proEnd(key), end);
    stripe.subscriptions.recover(id);
    assert.ok((await proEnd(key)) > end + 27 * DAY_MS);
  });

  test("does not begin before the first payment", async () => {
    const { key } = await addAccount(server);
    await openCheckout(key);
    const { id: customer } = lastOf(stripe, "customer.created");
    const id = stripe.subscriptions.beginUnpaid(customer, price);
    assert.equal(await proEnd(key), 0);
    // The account may try again, since nothing is taken for this one.
    await openCheckout(key);
    stripe.subscriptions.recover(id);
    assert.ok((await proEnd(key)) > Date.now() + 27 * DAY_MS);
  });

  test("remains after a cancellation, and ends when Stripe ends the subscription", async () => {
    const { key, id, end } = await subscribe();
    stripe.subscriptions.cancelOnPortal(id);
    assert.equal(await proEnd(key), end);
    stripe.subscriptions.end(id);
    assert.ok((await proEnd(key)) <= Date.now());
  });
});
