import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Stripe } from "stripe";
import { connectTo, createSeller, refusalOf, toSale } from "../support/services/stripe/client.ts";
import { startStripe } from "../support/services/stripe.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

describe("the API of the Stripe of the tests", () => {
  test("wants the secret key, as a bearer token or a user name", async () => {
    await using server = await startStripe();
    const ask = async (authorization?: string) => {
      const response = await fetch(`${server.url}/v1/account`, { headers: authorization ? { Authorization: authorization } : {} });
      return { status: response.status, body: (await response.json()) as { error?: { message: string; type: string } } };
    };
    const none = await ask();
    assert.equal(none.status, 401);
    assert.match(none.body.error?.message ?? "", /You did not provide an API key/);
    const wrong = await ask("Bearer sk_test_wrongwrongwrong");
    assert.deepEqual([wrong.status, wrong.body.error?.message], [401, "Invalid API Key provided: sk_test_***********rong"]);
    assert.equal((await ask(`Bearer ${server.secretKey}`)).status, 200);
    assert.equal((await ask(`Basic ${btoa(`${server.secretKey}:`)}`)).status, 200);
    const client = new Stripe("sk_test_other", { host: "127.0.0.1", port: new URL(server.url).port, protocol: "http" });
    assert.ok((await refusalOf(client.customers.list())) instanceof Stripe.errors.StripeAuthenticationError);
  });

  test("refuses parameters that are unknown, missing or wrong, by name", async () => {
    await using server = await startStripe();
    const seller = await createSeller(server);
    const send = async (form: Record<string, string>, path = "/v1/checkout/sessions") => {
      const headers = { Authorization: `Bearer ${server.secretKey}` };
      const response = await fetch(server.url + path, { method: "POST", headers, body: new URLSearchParams(form) });
      const { error } = (await response.json()) as { error: { code?: string; message: string; param?: string; type: string } };
      assert.deepEqual([response.status, error.type], [400, "invalid_request_error"]);
      return [error.param, error.code, error.message];
    };
    const sale = {
      mode: "payment",
      success_url: "https://files.example.org/",
      "line_items[0][quantity]": "1",
      "line_items[0][price_data][currency]": "usd",
      "line_items[0][price_data][unit_amount]": "1000",
      "line_items[0][price_data][product_data][name]": "A",
    };
    assert.deepEqual(await send({ ...sale, colour: "red" }), ["colour", "parameter_unknown", "Received unknown parameter: colour"]);
    assert.deepEqual((await send({ ...sale, "line_items[0][price_data][tax]": "1" }))[0], "line_items[0][price_data][tax]");
    const { "line_items[0][quantity]": _, ...incomplete } = sale;
    assert.deepEqual(await send(incomplete), [
      "line_items[0][quantity]",
      "parameter_missing",
      "Missing required param: line_items[0][quantity].",
    ]);
    assert.deepEqual(await send({ ...sale, "line_items[0][quantity]": "x" }), [
      "line_items[0][quantity]",
      "parameter_invalid_integer",
      "Invalid integer: x",
    ]);
    const cases: [Record<string, string>, string, string | undefined][] = [
      [{ mode: "gift" }, "mode", undefined],
      [{ success_url: "/relative" }, "success_url", "url_invalid"],
      [{ "line_items[0][price_data][product_data][name]": "" }, "line_items[0][price_data][product_data][name]", "parameter_invalid_empty"],
      [{ "metadata[a]": "x".repeat(501) }, "metadata", undefined],
      [{ "payment_intent_data[application_fee_amount]": "10" }, "payment_intent_data[application_fee_amount]", undefined],
      [
        { "payment_intent_data[transfer_data][destination]": seller, "payment_intent_data[application_fee_amount]": "1001" },
        "payment_intent_data[application_fee_amount]",
        undefined,
      ],
      [
        { "payment_intent_data[transfer_data][destination]": seller, "payment_intent_data[application_fee_amount]": "0" },
        "payment_intent_data[application_fee_amount]",
        "parameter_invalid_integer",
      ],
      [{ "subscription_data[description]": "x" }, "subscription_data", undefined],
    ];
    for (const [change, param, code] of cases) {
      assert.deepEqual((await send({ ...sale, ...change })).slice(0, 2), [param, code], JSON.stringify(change));
    }
    const client = connectTo(server);
    const missing = await refusalOf(client.checkout.sessions.create({ ...toSale(seller), customer: "cus_none" }));
    assert.deepEqual([missing.statusCode, missing.code, missing.param], [404, "resource_missing", "customer"]);
    assert.equal((await refusalOf(client.checkout.sessions.retrieve("cs_test_none"))).statusCode, 404);
    assert.equal((await refusalOf(client.accounts.retrieve("acct_none"))).code, "account_invalid");
    assert.match((await refusalOf(client.rawRequest("GET", "/v1/nonsense"))).message, /Unrecognized request URL \(GET: \/v1\/nonsense\)/);
    assert.match((await refusalOf(client.accounts.create({ country: "XX" }))).message, /Country 'XX' is unknown/);
    assert.match((await refusalOf(client.accounts.retrieve(seller, { expand: ["country"] }))).message, /cannot be expanded/);
  });

  test("keeps the limits of amounts and of the end of a checkout", async () => {
    await using server = await startStripe();
    const client = connectTo(server);
    const seller = await createSeller(server);
    const create = (amount: number, expiresIn?: number) =>
      client.checkout.sessions.create({
        ...toSale(seller, { amount, fee: 0 }),
        ...(expiresIn !== undefined && { expires_at: Math.floor(Date.now() / 1000) + expiresIn }),
      });
    assert.equal((await refusalOf(create(49))).code, "amount_too_small");
    assert.equal((await create(50)).amount_total, 50);
    assert.equal((await create(99_999_999)).amount_total, 99_999_999);
    assert.equal((await refusalOf(create(100_000_000))).code, "amount_too_large");
    assert.equal((await refusalOf(create(100, 29 * MINUTE))).param, "expires_at");
    assert.equal((await refusalOf(create(100, 24 * HOUR + MINUTE))).param, "expires_at");
    assert.equal((await create(100, 31 * MINUTE)).status, "open");
    assert.equal((await create(100, 24 * HOUR - MINUTE)).status, "open");
    const all = { amount: 500, fee: 500 };
    assert.equal((await client.checkout.sessions.create(toSale(seller, all))).amount_total, 500);
  });

  test("repeats the first answer for an Idempotency-Key, errors too, and refuses other parameters", async () => {
    await using server = await startStripe();
    const client = connectTo(server);
    const seller = await createSeller(server);
    const key = { idempotencyKey: "one sale" };
    const sessions = await Promise.all(Array.from({ length: 20 }, () => client.checkout.sessions.create(toSale(seller), key)));
    assert.equal(new Set(sessions.map(({ id }) => id)).size, 1);
    const other = await refusalOf(client.checkout.sessions.create(toSale(seller, { amount: 1001 }), key));
    assert.ok(other instanceof Stripe.errors.StripeIdempotencyError);
    assert.match((await refusalOf(client.customers.create({}, key))).message, /same endpoint/);
    server.sellers.setReadiness(seller, { charges: false });
    const refused = { idempotencyKey: "refused" };
    assert.equal((await refusalOf(client.checkout.sessions.create(toSale(seller), refused))).statusCode, 400);
    server.sellers.setReadiness(seller, { charges: true });
    assert.equal((await refusalOf(client.checkout.sessions.create(toSale(seller), refused))).statusCode, 400);
    server.advance(25 * HOUR);
    assert.equal((await client.checkout.sessions.create(toSale(seller), refused)).status, "open");
    const malformed = { idempotencyKey: "malformed" };
    assert.equal((await refusalOf(client.customers.create({ email: "nobody" }, malformed))).code, "email_invalid");
    assert.equal((await client.customers.create({ email: "somebody@example.org" }, malformed)).email, "somebody@example.org");
  });

  test("fails as often as planned, before or after the effect, and records the requests", async () => {
    await using server = await startStripe();
    const client = connectTo(server, { maxNetworkRetries: 2 });
    const seller = await createSeller(server);
    const path = "/v1/checkout/sessions";
    server.failures.plan("server_error", path);
    server.failures.plan("drop", /sessions$/, { afterEffect: true });
    const session = await client.checkout.sessions.create(toSale(seller), { idempotencyKey: "k" });
    const asked = server.requests.filter((request) => request.path === path);
    assert.equal(asked.length, 3);
    assert.deepEqual(
      new Set(asked.map(({ idempotencyKey, version }) => `${idempotencyKey} ${version}`)),
      new Set([`k ${Stripe.API_VERSION}`]),
    );
    assert.equal(asked[0]?.params["line_items[0][price_data][unit_amount]"], "1000");
    assert.deepEqual(
      (await client.checkout.sessions.list()).data.map(({ id }) => id),
      [session.id],
    );
    server.failures.plan("rate_limit", path, { method: "GET" });
    const patient = connectTo(server);
    assert.ok((await refusalOf(patient.checkout.sessions.list())) instanceof Stripe.errors.StripeRateLimitError);
    server.failures.plan("cut", path);
    assert.ok((await refusalOf(patient.checkout.sessions.list())) instanceof Stripe.errors.StripeConnectionError);
    server.failures.plan("hang", path);
    const hasty = connectTo(server, { timeout: 200 });
    assert.ok((await refusalOf(hasty.checkout.sessions.list())) instanceof Stripe.errors.StripeConnectionError);
    assert.equal((await patient.checkout.sessions.list()).data.length, 1);
  });

  test("pages lists, finds a checkout by its payment, and speaks one version", async () => {
    await using server = await startStripe();
    const client = connectTo(server);
    const seller = await createSeller(server);
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.unshift((await client.checkout.sessions.create(toSale(seller))).id);
    const seen: string[] = [];
    for await (const { id } of client.checkout.sessions.list({ limit: 2 })) seen.push(id);
    assert.deepEqual(seen, ids);
    server.checkouts.pay(ids[3] ?? "");
    const { payment_intent: intent } = await client.checkout.sessions.retrieve(ids[3] ?? "");
    const { data } = await client.checkout.sessions.list({ payment_intent: String(intent), expand: ["data.line_items"] });
    assert.deepEqual([data.length, data[0]?.id, data[0]?.line_items?.data.length], [1, ids[3], 1]);
    const headers = { Authorization: `Bearer ${server.secretKey}`, "Stripe-Version": "2020-08-27" };
    const old = await fetch(`${server.url}/v1/customers`, { headers });
    assert.equal(old.status, 400);
    assert.match(await old.text(), /Invalid Stripe API version: 2020-08-27/);
  });
});
