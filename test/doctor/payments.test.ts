import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { payments } from "../../src/doctor/payments.ts";
import { startStripe, type TestStripe } from "../support/services/stripe.ts";

/** selling, "The webhook". */
describe("doctor, about selling", () => {
  let stripe: TestStripe;
  before(async () => {
    stripe = await startStripe();
  });
  after(async () => {
    await stripe?.[Symbol.asyncDispose]();
  });

  async function check(env: Readonly<Record<string, string>> = {}) {
    const loaded = loadConfig({ FILEHOST_URL: "https://files.example.org", ...stripe.env, ...env });
    const results = await Array.fromAsync(payments.run(loaded, AbortSignal.timeout(60_000)));
    return results.map(({ status, detail }) => `${status}: ${detail}`);
  }

  test("says nothing on a server that does not sell", async () => {
    const loaded = loadConfig({});
    assert.deepEqual(await Array.fromAsync(payments.run(loaded, AbortSignal.timeout(1000))), []);
  });

  test("names a missing webhook, missing events and wrong prices", async () => {
    const [accepts, missing] = await check();
    assert.match(accepts ?? "", /^ok: Stripe accepts test payments for /);
    assert.match(missing ?? "", /^warn: no webhook leads to https:\/\/files\.example\.org\/api\/stripe\/webhook/);
    stripe.sendEventsTo("https://files.example.org/api/stripe/webhook", { events: ["checkout.session.completed"] });
    const plans = JSON.stringify([{ id: "pro", name: "Pro", stripePrice: "price_unknown" }]);
    const [, events, wrong] = await check({ FILEHOST_PLANS: plans });
    assert.match(events ?? "", /^warn: the webhook lacks .*charge\.refunded.*customer\.subscription\.deleted, invoice\.paid/);
    assert.match(wrong ?? "", /^fail: no active recurring price for: pro/);
    stripe.sendEventsTo("https://files.example.org/api/stripe/webhook");
    const good = JSON.stringify([{ id: "pro", name: "Pro", stripePrice: stripe.addPlan() }]);
    assert.equal((await check({ FILEHOST_PLANS: good })).length, 1);
  });

  test("names a webhook whose events have the form of another version", async () => {
    const url = "https://other.example.org/api/stripe/webhook";
    stripe.sendEventsTo(url, { apiVersion: "2024-06-20" });
    const [, version] = await check({ FILEHOST_URL: "https://other.example.org" });
    assert.match(version ?? "", /^warn: the webhook sends events of Stripe's API 2024-06-20; this server reads those of \d{4}-/);
  });

  test("reports a key that Stripe refuses, without it", async () => {
    const [result] = await check({ FILEHOST_STRIPE_SECRET_KEY: "sk_test_wrong" });
    assert.match(result ?? "", /^fail: Stripe at http/);
  });
});
