import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Stripe } from "stripe";
import { connectTo, createSeller, refusalOf, sell, toSale } from "../support/services/stripe/client.ts";
import { PLATFORM } from "../support/services/stripe/state.ts";
import { startStripe } from "../support/services/stripe.ts";

/** The substitute for Stripe that other tests sell with, driven by Stripe's own client. */
describe("sales at the Stripe of the tests", () => {
  test("a seller is ready after onboarding, on pages whose links work once", async () => {
    await using server = await startStripe();
    const client = connectTo(server);
    const id = await createSeller(server, { isReady: false });
    const before = await client.accounts.retrieve(id);
    assert.deepEqual([before.details_submitted, before.charges_enabled, before.capabilities?.transfers], [false, false, "inactive"]);
    assert.match((await refusalOf(client.accounts.createLoginLink(id))).message, /has not completed onboarding/);
    const link = await client.accountLinks.create({
      account: id,
      type: "account_onboarding",
      return_url: "https://files.example.org/back",
      refresh_url: "https://files.example.org/again",
    });
    assert.match(await (await fetch(link.url)).text(), /Finish/);
    const finished = await fetch(link.url, { method: "POST", redirect: "manual" });
    assert.equal(finished.headers.get("location"), "https://files.example.org/back");
    const again = await fetch(link.url, { redirect: "manual" });
    assert.equal(again.headers.get("location"), "https://files.example.org/again");
    const after = await client.accounts.retrieve(id);
    assert.deepEqual([after.details_submitted, after.charges_enabled, after.payouts_enabled], [true, true, true]);
    assert.equal((await fetch((await client.accounts.createLoginLink(id)).url)).status, 200);
    assert.equal((await client.accounts.retrieveCurrent()).country, "US");
    assert.equal((await client.accounts.list()).data.length, 1);
  });

  test("a payment is split between the operator and the seller, and a refund reverses all of it", async () => {
    await using server = await startStripe();
    const { client, seller, session, intent } = await sell(server, { amount: 1234, fee: 91 });
    assert.deepEqual([session.status, session.payment_status, session.amount_total, session.url], ["complete", "paid", 1234, null]);
    assert.equal(session.metadata?.share, "abc");
    assert.equal(server.balanceOf(PLATFORM), 91);
    assert.equal(server.balanceOf(seller), 1143);
    const expanded = await client.checkout.sessions.retrieve(session.id, { expand: ["payment_intent.latest_charge", "line_items"] });
    const payment = expanded.payment_intent as Stripe.PaymentIntent; // It was expanded.
    assert.equal((payment.latest_charge as Stripe.Charge).application_fee_amount, 91);
    assert.equal(expanded.line_items?.data[0]?.description, "report.pdf");
    const refund = await client.refunds.create({ payment_intent: intent, reverse_transfer: true, refund_application_fee: true });
    assert.deepEqual([refund.status, refund.amount], ["succeeded", 1234]);
    assert.deepEqual([server.balanceOf(PLATFORM), server.balanceOf(seller)], [0, 0]);
    const again = await refusalOf(client.refunds.create({ payment_intent: intent }));
    assert.equal(again.code, "charge_already_refunded");
  });

  test("parts of a payment can be refunded, not more than is left", async () => {
    await using server = await startStripe();
    const { client, seller, intent } = await sell(server, { amount: 1000, fee: 99 });
    const part = { payment_intent: intent, reverse_transfer: true, refund_application_fee: true };
    await client.refunds.create({ ...part, amount: 333 });
    assert.deepEqual([server.balanceOf(PLATFORM), server.balanceOf(seller)], [66, 601]);
    assert.match((await refusalOf(client.refunds.create({ ...part, amount: 668 }))).message, /greater than unrefunded amount/);
    server.refund(intent);
    assert.deepEqual([server.balanceOf(PLATFORM), server.balanceOf(seller)], [0, 0]);
    assert.equal((await client.refunds.list({ payment_intent: intent })).data.length, 2);
    assert.equal((await client.charges.list({ payment_intent: intent })).data[0]?.refunded, true);
  });

  test("a fee that was not taken cannot be refunded, and a transfer that was not made cannot be reversed", async () => {
    await using server = await startStripe();
    const { client, intent } = await sell(server, { fee: 0 });
    const error = await refusalOf(client.refunds.create({ payment_intent: intent, reverse_transfer: true, refund_application_fee: true }));
    assert.match(error.message, /Attempting to refund_application_fee on ch_\w+, but it has no application fee/);
    const plan = { quantity: 1, price_data: { currency: "usd", unit_amount: 500, product_data: { name: "Own" } } };
    const own = await client.checkout.sessions.create({ mode: "payment", line_items: [plan], success_url: "https://files.example.org/" });
    server.checkouts.pay(own.id);
    const paid = await client.checkout.sessions.retrieve(own.id);
    const reversal = client.refunds.create({ payment_intent: String(paid.payment_intent), reverse_transfer: true });
    assert.match((await refusalOf(reversal)).message, /Cannot reverse transfer/);
  });

  test("a checkout ends once: it is paid, expires by the clock, or is ended by the server", async () => {
    await using server = await startStripe();
    const client = connectTo(server);
    const seller = await createSeller(server);
    const open = () => client.checkout.sessions.create(toSale(seller));
    const paid = await open();
    assert.equal(paid.payment_intent, null);
    server.checkouts.pay(paid.id);
    assert.throws(() => server.checkouts.pay(paid.id), /is complete/);
    assert.match((await refusalOf(client.checkout.sessions.expire(paid.id))).message, /has a status of `complete`/);
    const ended = await open();
    assert.equal((await client.checkout.sessions.expire(ended.id)).status, "expired");
    assert.throws(() => server.checkouts.pay(ended.id), /is expired/);
    const old = await open();
    server.advance(24 * 60 * 60 + 1);
    assert.equal((await client.checkout.sessions.retrieve(old.id)).status, "expired");
    assert.equal(server.events("checkout.session.expired").length, 2);
    assert.equal(server.events("checkout.session.completed").length, 1);
  });

  test("a payment from a bank account settles later, and a refused card leaves the checkout open", async () => {
    await using server = await startStripe();
    const client = connectTo(server);
    const seller = await createSeller(server);
    const open = async () => (await client.checkout.sessions.create(toSale(seller))).id;
    const read = async (id: string) => {
      const session = await client.checkout.sessions.retrieve(id, { expand: ["payment_intent"] });
      return [session.status, session.payment_status, (session.payment_intent as Stripe.PaymentIntent).status]; // It was expanded.
    };
    const [good, bad, declined] = [await open(), await open(), await open()];
    server.checkouts.payLater(good);
    server.checkouts.payLater(bad);
    server.checkouts.decline(declined);
    assert.deepEqual(await read(good), ["complete", "unpaid", "processing"]);
    assert.equal(server.balanceOf(seller), 0);
    assert.deepEqual(await read(declined), ["open", "unpaid", "requires_payment_method"]);
    server.checkouts.succeedLater(good);
    server.checkouts.failLater(bad);
    server.checkouts.pay(declined);
    assert.deepEqual(await read(good), ["complete", "paid", "succeeded"]);
    assert.deepEqual(await read(bad), ["complete", "unpaid", "requires_payment_method"]);
    assert.deepEqual(await read(declined), ["complete", "paid", "succeeded"]);
    assert.equal(server.balanceOf(seller), 2 * 920);
    assert.throws(() => server.checkouts.succeedLater(good), /no payment under way/);
    assert.equal(server.events("checkout.session.async_payment_failed").length, 1);
  });

  test("a disputed payment cannot be refunded until the dispute is won; an inquiry does not prevent it", async () => {
    await using server = await startStripe();
    const { client, intent } = await sell(server);
    const charge = async () => (await client.charges.list({ payment_intent: intent })).data[0];
    const dispute = server.disputes.open(intent);
    assert.equal((await charge())?.disputed, true);
    assert.equal(server.balanceOf(PLATFORM), 80 - 1000);
    assert.equal((await refusalOf(client.refunds.create({ payment_intent: intent }))).code, "charge_disputed");
    server.disputes.submitEvidence(dispute);
    server.disputes.win(dispute);
    assert.throws(() => server.disputes.lose(dispute), /is won already/);
    assert.equal(server.balanceOf(PLATFORM), 80);
    const inquiry = server.disputes.open(intent, { inquiry: true });
    const { data } = await client.disputes.list({ charge: (await charge())?.id ?? "" });
    assert.deepEqual(
      data.map(({ status }) => status),
      ["warning_needs_response", "won"],
    );
    assert.equal((await client.refunds.create({ payment_intent: intent, amount: 1 })).status, "succeeded");
    server.disputes.win(inquiry);
    assert.equal((await client.disputes.retrieve(inquiry)).status, "warning_closed");
    const lost = server.disputes.open(intent);
    server.disputes.lose(lost);
    assert.equal(server.balanceOf(PLATFORM), 80 - 1 - 999);
    assert.equal(server.events("charge.dispute.closed").length, 3);
  });

  test("nobody sells who cannot take payments, not even with a checkout that is open", async () => {
    await using server = await startStripe();
    const client = connectTo(server);
    const seller = await createSeller(server, { isReady: false });
    const refused = await refusalOf(client.checkout.sessions.create(toSale(seller)));
    assert.equal(refused.code, "insufficient_capabilities_for_transfer");
    server.sellers.finishOnboarding(seller);
    const session = await client.checkout.sessions.create(toSale(seller));
    server.sellers.setReadiness(seller, { charges: false });
    assert.throws(() => server.checkouts.pay(session.id), /capabilities enabled/);
    const tried = new URLSearchParams({ email: "buyer@example.org", method: "card", action: "pay" });
    assert.match(await (await fetch(session.url ?? "", { method: "POST", body: tried })).text(), /Your card was not charged/);
    assert.equal((await client.checkout.sessions.retrieve(session.id)).status, "open");
    server.sellers.setReadiness(seller, { charges: true });
    server.checkouts.pay(session.id);
    assert.equal(server.balanceOf(seller), 920);
    server.sellers.revoke(seller);
    assert.equal((await refusalOf(client.accounts.retrieve(seller))).code, "account_invalid");
    assert.equal((await refusalOf(client.checkout.sessions.create(toSale(seller)))).code, "resource_missing");
  });

  test("the checkout page takes a payment and sends the buyer back", async () => {
    await using server = await startStripe();
    const client = connectTo(server);
    const sale = toSale(await createSeller(server));
    const { id, url } = await client.checkout.sessions.create({
      ...sale,
      line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: 250, product_data: { name: "<b>&" } } }],
    });
    assert.match(await (await fetch(url ?? "")).text(), /&lt;b&gt;&amp;.*2\.50 USD/s);
    const send = (fields: Record<string, string>) =>
      fetch(url ?? "", { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
    assert.equal((await send({ action: "cancel" })).headers.get("location"), "https://files.example.org/d/abc");
    assert.equal((await send({ action: "pay", method: "card", email: "" })).status, 400);
    assert.match(await (await send({ action: "pay", method: "declined", email: "b@example.org" })).text(), /declined/);
    const paid = await send({ action: "pay", method: "card", email: "b@example.org" });
    assert.equal(paid.headers.get("location"), `https://files.example.org/d/abc?session=${id}`);
    assert.equal((await client.checkout.sessions.retrieve(id)).customer_details?.email, "b@example.org");
    assert.equal((await send({ action: "pay", method: "card", email: "b@example.org" })).status, 410);
  });
});
