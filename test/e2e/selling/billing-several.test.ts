import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import type { TestStripe } from "../../support/services/stripe.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { lastOf, openProCheckout, type ProServer, readProEnd, startProServer } from "../support/shares/selling.ts";

/** selling, "Pro". */
describe("several checkouts and subscriptions of one account", () => {
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

  test("only the last checkout can be paid", async () => {
    const { key } = await addAccount(server);
    const [first, second] = [await openCheckout(key), await openCheckout(key)];
    assert.equal(lastOf(stripe, "checkout.session.expired").id, first);
    assert.throws(() => stripe.checkouts.pay(first));
    stripe.checkouts.pay(second);
    assert.ok((await proEnd(key)) > Date.now() + 27 * DAY_MS);
  });

  test("Pro lasts as long as the paid time of any active subscription", async () => {
    const { key } = await addAccount(server);
    stripe.checkouts.pay(await openCheckout(key));
    const first = lastOf(stripe, "customer.subscription.created").id;
    const firstEnd = await proEnd(key);
    const second = stripe.subscriptions.beginUnpaid(lastOf(stripe, "customer.created").id, price);
    stripe.subscriptions.recover(second);
    stripe.subscriptions.renew(second);
    assert.ok((await proEnd(key)) > firstEnd + 27 * DAY_MS);
    // What happens to the other one takes nothing.
    stripe.subscriptions.failRenewal(first);
    assert.ok((await proEnd(key)) > firstEnd + 27 * DAY_MS);
    stripe.subscriptions.recover(first);
    stripe.subscriptions.renew(first);
    const longest = await proEnd(key);
    assert.ok(longest > firstEnd + 55 * DAY_MS);
    stripe.subscriptions.end(first);
    const left = await proEnd(key);
    assert.ok(left < longest && left > firstEnd + 27 * DAY_MS);
    stripe.subscriptions.end(second);
    assert.ok((await proEnd(key)) <= Date.now());
  });
});
