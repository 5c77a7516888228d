import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestStripe } from "../../support/services/stripe.ts";
import { addAccount, getMe } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, upload } from "../support/api/api.ts";
import { withDatabase } from "../support/servers/state.ts";
import {
  addSeller,
  becomeSeller,
  buy,
  lastOf,
  openProCheckout,
  type ProServer,
  priced,
  startProServer,
} from "../support/shares/selling.ts";

/** selling, "Sellers" and "Pro": what Stripe no longer knows, as after a change of the operator's account there, or has refused before. */
describe("an account that Stripe has lost or refused", () => {
  let stripe: TestStripe;
  let server: ProServer;
  before(async () => {
    server = await startProServer({ events: "all" });
    ({ stripe } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const openCheckout = (key: string): Promise<string> => openProCheckout(server, key);

  test("a seller that Stripe no longer knows sells nothing, and can set up a new account", async () => {
    const seller = await addSeller(server, stripe);
    const client = clientOf(server, seller);
    const { shortId } = await priced(server, seller, { name: "a.txt", bytes: "a" }, 400);
    const other = await upload(server, { name: "b.txt", bytes: "b" }, { key: seller.key });
    stripe.sellers.revoke(seller.account);
    await stripe.webhooks.settled();
    assert.equal((await client.call("getSellerStatus", { sync: false })).readyToSell, false);
    for (const [method, path, json] of [
      ["POST", "/api/purchases/checkout", { shortId }],
      ["PATCH", "/api/files/share-settings", { fileId: other.id, priceCents: 400 }],
    ] as const)
      assertRefused(await call(server, method, path, { key: method === "PATCH" ? seller.key : undefined, json }), {
        status: 409,
        code: "SELLER_NOT_READY",
      });
    const { account } = await becomeSeller(server, stripe, seller);
    assert.notEqual(account, seller.account);
    await buy(server, stripe, shortId);
    assert.ok(stripe.balanceOf(account) > 0);
  });

  test("a loss that was not reported is noticed by the status, and by the setup", async () => {
    const [first, second] = [await addSeller(server, stripe), await addSeller(server, stripe)];
    stripe.webhooks.hold();
    for (const { account } of [first, second]) stripe.sellers.revoke(account);
    await stripe.webhooks.release(() => []);
    const status = await clientOf(server, first).call("getSellerStatus", {});
    assert.deepEqual([status.readyToSell, status.data.detailsSubmitted, status.data.payoutsEnabled], [false, false, false]);
    assert.notEqual((await becomeSeller(server, stripe, second)).account, second.account);
  });

  test("a seller whom Stripe refused is accepted after Stripe no longer refuses", async () => {
    const { key } = await addAccount(server);
    stripe.sellers.setConnect(false);
    assert.equal((await call(server, "POST", "/api/connect/onboard", { key, json: {} })).status, 503);
    stripe.sellers.setConnect(true);
    const { account } = await becomeSeller(server, stripe, { key });
    assert.ok(account);
  });

  test("the longest addresses can sell, and pay for Pro", async () => {
    const { userId, key } = await addAccount(server);
    const email = `${"a".repeat(64)}@${`${"b".repeat(60)}.`.repeat(3)}example`;
    await withDatabase(server, (db) => db.updateTable("users").set({ email }).where("id", "=", userId).execute());
    await becomeSeller(server, stripe, { key });
    stripe.checkouts.pay(await openCheckout(key));
    await stripe.webhooks.settled();
    assert.equal((await getMe(server, key)).tier, "pro");
  });

  test("a customer that Stripe no longer knows pays for Pro as another one, and keeps the paid time", async () => {
    const { key } = await addAccount(server);
    const portal = () => call(server, "POST", "/api/billing/portal", { key, json: {} });
    stripe.checkouts.pay(await openCheckout(key));
    await stripe.webhooks.settled();
    const { proUntil } = await getMe(server, key);
    const { id: customer } = lastOf(stripe, "customer.created");
    assert.equal((await portal()).status, 200);
    stripe.subscriptions.forget(lastOf(stripe, "customer.subscription.created").id);
    stripe.subscriptions.forgetCustomer(customer);
    assertRefused(await portal(), { status: 409, code: "CONFLICT" });
    const checkout = await openCheckout(key);
    assert.notEqual(lastOf(stripe, "customer.created").id, customer);
    assert.equal((await getMe(server, key)).proUntil, proUntil);
    stripe.checkouts.pay(checkout);
    await stripe.webhooks.settled();
    assert.ok(Date.parse((await getMe(server, key)).proUntil ?? "") >= Date.parse(proUntil ?? ""));
    assert.equal((await portal()).status, 200);
  });
});
