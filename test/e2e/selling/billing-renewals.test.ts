import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { TestStripe } from "../../support/services/stripe.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { lastOf, openProCheckout, type ProServer, readProEnd, startProServer } from "../support/shares/selling.ts";

/** selling, "Pro": what is paid, and what is only due. */
describe("the paid time of a subscription", () => {
  let stripe: TestStripe;
  let price: string;
  let server: ProServer;
  before(async () => {
    server = await startProServer();
    ({ stripe, price } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const openCheckout = (key: string): Promise<string> => openProCheckout(server, key);
  const proEnd = (key: string): Promise<number> => readProEnd(server, key);

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
