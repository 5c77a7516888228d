import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestStripe } from "../../support/services/stripe.ts";
import { until } from "../../support/until.ts";
import { addAccount, getMe } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { type ProServer, startProServer } from "../support/shares/selling.ts";

/** selling, "Pro". */
describe("Pro for a recurring price", () => {
  let stripe: TestStripe;
  let server: ProServer;
  before(async () => {
    server = await startProServer();
    ({ stripe } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function subscribe(key: string) {
    const { checkoutUrl } = (await clientOf(server, { key }).call("createUpgradeCheckout", { plan: "pro", locale: "de-AT" })).data;
    const sessionId = checkoutUrl.split("/").at(-1) ?? "";
    stripe.checkouts.pay(sessionId, { email: "pro@example.org" });
    await until("the account has Pro", async () => (await getMe(server, key)).tier === "pro");
    return stripe.events("customer.subscription.created").at(-1)?.data.object as { id: string };
  }

  test("gives an account Pro until the end of the paid time, and longer with each renewal", async () => {
    const { key } = await addAccount(server);
    assertRefused(await call(server, "POST", "/api/billing/portal", { key, json: {} }), { status: 409, code: "CONFLICT" });
    assertRefused(await call(server, "POST", "/api/billing/checkout", { key, json: { plan: "gold" } }), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
    const { id } = await subscribe(key);
    const first = (await getMe(server, key)).proUntil;
    assert.ok(first !== null && Date.parse(first ?? "") > Date.now() + 27 * 86_400_000, String(first));
    assertRefused(await call(server, "POST", "/api/billing/checkout", { key, json: {} }), { status: 409, code: "CONFLICT" });
    assert.match((await clientOf(server, { key }).call("createBillingPortal", {})).data.portalUrl, /^http/);
    stripe.subscriptions.renew(id);
    await until("the renewal is known", async () => Date.parse((await getMe(server, key)).proUntil ?? "") > Date.parse(first ?? ""));
  });

  test("ends with the subscription, and not with a failed payment that is tried again", async () => {
    const { key } = await addAccount(server);
    const { id } = await subscribe(key);
    const paidUntil = (await getMe(server, key)).proUntil;
    stripe.subscriptions.failRenewal(id);
    await stripe.webhooks.settled();
    assert.equal((await getMe(server, key)).proUntil, paidUntil);
    stripe.subscriptions.end(id);
    await until("Pro ends", async () => Date.parse((await getMe(server, key)).proUntil ?? "") <= Date.now());
  });

  test("redirects to the operator's page if one is configured", async () => {
    await using other = await startPlainServer({ FILEHOST_UPGRADE_URL: "https://pay.example.org/pro" });
    const { key } = await addAccount(other);
    const { checkoutUrl } = (await clientOf(other, { key }).call("createUpgradeCheckout", {})).data;
    assert.equal(checkoutUrl, "https://pay.example.org/pro");
  });
});
