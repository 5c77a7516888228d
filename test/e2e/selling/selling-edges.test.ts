import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { MINUTE_MS } from "../../../src/lib/text/duration.ts";
import { sign, toBody } from "../../support/services/stripe/send-event.ts";
import { PLATFORM } from "../../support/services/stripe/state.ts";
import type { TestStripe } from "../../support/services/stripe.ts";
import { until } from "../../support/until.ts";
import { assertRefused, call, clientOf, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { addSeller, buy, lastOf, priced, type SellingServer, startSellingServer, type TestSeller } from "../support/shares/selling.ts";
import { complete, init, postComplete, sendParts } from "../support/uploads/multipart.ts";

const MOST_CENTS = 99_999_999;

/** selling, "Sellers", "Prices", "Purchases", "Sales" and "The webhook": amounts, reports and changes at the edges. */
describe("the edge cases of selling", () => {
  let stripe: TestStripe;
  let server: SellingServer;
  before(async () => {
    server = await startSellingServer({ env: { FILEHOST_SELLING_FEE: "5%+30" }, events: "all" });
    ({ stripe } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const setPrice = (seller: TestSeller, fileId: string, priceCents: unknown) =>
    call(server, "PATCH", "/api/files/share-settings", { key: seller.key, json: { fileId, priceCents } });
  const open = async (shortId: string) => (await clientOf(server).call("createCheckout", { shortId })).data;
  const claim = (sessionId: string) =>
    call<{ data: { purchaseToken: string }; purchaseStatus?: string }>(server, "POST", "/api/purchases/claim", { json: { sessionId } });
  const download = async (id: string, purchaseToken: string) =>
    (await call(server, "GET", `/api/files/download/${id}?purchaseToken=${purchaseToken}`)).status;
  const salesOf = async (seller: TestSeller) => (await clientOf(server, seller).call("listSales", {})).data;

  for (const [priceCents, feeCents] of [
    [100, 35],
    [MOST_CENTS, 5_000_029],
  ] as const)
    test(`sells for ${priceCents} cents: the buyer pays exactly that, and the fee is rounded down`, async () => {
      const seller = await addSeller(server, stripe);
      const file = await priced(server, seller, { name: "a.txt", bytes: "a" }, priceCents);
      assert.equal((await open(file.shortId)).priceCents, priceCents);
      await buy(server, stripe, file.shortId);
      const [sale] = await salesOf(seller);
      assert.deepEqual([sale?.priceCents, sale?.feeCents, sale?.sellerCents], [priceCents, feeCents, priceCents - feeCents]);
      assert.equal(stripe.balanceOf(seller.account), priceCents - feeCents);
      const charges = stripe.ledger.filter(({ account, type }) => account === PLATFORM && type === "charge");
      assert.equal(charges.at(-1)?.amountCents, priceCents);
    });

  test("refuses other prices, and 0 and null clear one", async () => {
    const seller = await addSeller(server, stripe);
    const file = await upload(server, { name: "a.txt", bytes: "a" }, { key: seller.key });
    for (const priceCents of [1, 99, 99.5, 100.5, -100, MOST_CENTS + 1, 1e12, "100", true])
      assertRefused(await setPrice(seller, file.id, priceCents), { status: 400, code: "VALIDATION_FAILED" });
    for (const cleared of [0, null]) {
      assert.equal((await setPrice(seller, file.id, 100)).status, 200);
      assertRefused(await call(server, "GET", `/api/files/download/${file.id}`), { status: 402, code: "PAYMENT_REQUIRED" });
      assert.equal((await setPrice(seller, file.id, cleared)).status, 200);
      assert.equal((await call(server, "GET", `/api/files/download/${file.id}`)).status, 200);
    }
  });

  test("a price that was accepted during an upload is never lost to a shipment that the file joins", async () => {
    const seller = await addSeller(server, stripe);
    const bytes = new TextEncoder().encode("later");
    const start = (fields: object = {}) => init(server, { fileSize: bytes.length, ...fields }, seller);
    const first = await start({ openShare: true });
    const second = await start({ shareShortId: first.shortId });
    const set = (fileId: string, settings: object) =>
      call(server, "PATCH", "/api/files/share-settings", { key: seller.key, json: { fileId, ...settings } });
    for (const settings of [{ priceCents: 500 }, { protect: true }, { maxDownloads: 1 }, { title: "x" }, { extendTtl: "1d" }])
      assertRefused(await set(second.fileId, settings), { status: 409, code: "CONFLICT" });
    assert.equal((await set(second.fileId, { immutable: true })).status, 200);
    assert.equal((await setPrice(seller, first.fileId, 400)).status, 200);
    const single = await start();
    assert.equal((await setPrice(seller, single.fileId, 500)).status, 200);
    for (const session of [first, second, single]) await sendParts(server, session, bytes, seller);
    await complete(server, first, {}, seller);
    const joining = { shareShortId: first.shortId };
    assertRefused(await postComplete(server, single, joining, seller), { status: 409, code: "CONFLICT" });
    await complete(server, single, {}, seller);
    await complete(server, second, {}, seller);
    for (const { fileId, priceCents } of [
      { fileId: second.fileId, priceCents: 400 },
      { fileId: single.fileId, priceCents: 500 },
    ]) {
      const unpaid = await call(server, "GET", `/api/files/download/${fileId}`);
      assertRefused(unpaid, { status: 402, code: "PAYMENT_REQUIRED" });
      assert.equal(unpaid.body.priceCents, priceCents);
    }
  });

  test("takes no more than the price as the fee, and refunds it", async () => {
    await using other = await startPlainServer({ ...stripe.env, FILEHOST_SELLING_FEE: "99.99%+500" });
    const seller = await addSeller(other, stripe);
    const client = clientOf(other, seller);
    const file = await priced(other, seller, { name: "a.txt", bytes: "a" }, 100);
    const before = stripe.balanceOf(PLATFORM);
    await buy(other, stripe, file.shortId);
    const [sale] = (await client.call("listSales", {})).data;
    assert.deepEqual([sale?.feeCents, sale?.sellerCents, stripe.balanceOf(seller.account)], [100, 0, 0]);
    assert.equal(stripe.balanceOf(PLATFORM), before + 100);
    await client.call("refundSale", { id: sale?.id ?? "" });
    await until("the money is back", async () => (await client.call("listSales", {})).data[0]?.state === "refunded");
    assert.deepEqual([stripe.balanceOf(seller.account), stripe.balanceOf(PLATFORM)], [0, before]);
  });

  test("reports that come twice, late and in another order change nothing", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "a.txt", bytes: "a" }, 400);
    stripe.webhooks.hold();
    const { sessionId } = await open(file.shortId);
    stripe.checkouts.pay(sessionId);
    const { purchaseToken } = (await claim(sessionId)).body.data;
    await stripe.webhooks.release((events) => [...events, ...events].reverse());
    await stripe.webhooks.settled();
    assert.deepEqual([(await claim(sessionId)).body.data.purchaseToken, (await salesOf(seller)).length], [purchaseToken, 1]);
    const [completed] = stripe.events("checkout.session.completed").slice(-1);
    assert.ok(completed);
    stripe.refund(lastOf(stripe, "payment_intent.succeeded").id);
    await stripe.webhooks.settled();
    // The event of the payment comes once more, after the refund.
    for (const { status } of await stripe.deliver(completed)) assert.equal(status, 200);
    assert.equal((await salesOf(seller))[0]?.state, "refunded");
    assert.equal(await download(file.id, purchaseToken), 402);
  });

  test("refuses reports with an old time, another secret, or a changed body, and accepts a repeated one", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "a.txt", bytes: "a" }, 400);
    await buy(server, stripe, file.shortId);
    const [event] = stripe.events("checkout.session.completed").slice(-1);
    assert.ok(event);
    const body = toBody(event);
    const post = (sent: string, signature: string) =>
      call(server, "POST", "/api/stripe/webhook", { body: sent, headers: { "Stripe-Signature": signature } });
    const good = sign(body, stripe.webhookSecret);
    for (const [sent, signature] of [
      [body, sign(body, stripe.webhookSecret, Date.now() - 6 * MINUTE_MS)],
      [body, sign(body, "whsec_other")],
      [body.replace("completed", "expired"), good],
      [`${body} `, good],
      [body, good.replace(/v1=/, "v0=")],
    ] as const)
      assertRefused(await post(sent, signature), { status: 403, code: "SIGNATURE_INVALID" });
    for (let time = 0; time < 3; time += 1) assert.equal((await post(body, good)).status, 200);
    assert.equal((await salesOf(seller)).length, 1);
  });

  test("a seller who is no longer ready sells nothing more, not by an open checkout either, and buyers keep their purchases", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "a.txt", bytes: "a" }, 400);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    const { sessionId } = await open(file.shortId);
    stripe.sellers.setReadiness(seller.account, { charges: false });
    await stripe.webhooks.settled();
    const checkout = () => call(server, "POST", "/api/purchases/checkout", { json: { shortId: file.shortId } });
    assertRefused(await checkout(), { status: 409, code: "SELLER_NOT_READY" });
    assertRefused(await setPrice(seller, file.id, 500), { status: 409, code: "SELLER_NOT_READY" });
    assert.throws(() => stripe.checkouts.pay(sessionId), /capabilities|capability/);
    assert.equal((await claim(sessionId)).body.purchaseStatus, "open");
    assert.equal(await download(file.id, purchaseToken), 200);
    stripe.sellers.setReadiness(seller.account, { charges: true });
    await stripe.webhooks.settled();
    assert.equal((await checkout()).status, 200);
    stripe.checkouts.pay(sessionId);
    assert.equal(await download(file.id, (await claim(sessionId)).body.data.purchaseToken), 200);
  });

  test("a price that changes during a checkout applies to the next buyers, and so does its end", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "a.txt", bytes: "a" }, 400);
    const [first, second] = [await open(file.shortId), await open(file.shortId)];
    assert.equal((await setPrice(seller, file.id, 900)).status, 200);
    assert.equal((await open(file.shortId)).priceCents, 900);
    stripe.checkouts.pay(first.sessionId);
    assert.equal(await download(file.id, (await claim(first.sessionId)).body.data.purchaseToken), 200);
    assert.equal((await setPrice(seller, file.id, null)).status, 200);
    stripe.checkouts.pay(second.sessionId);
    assert.equal(await download(file.id, (await claim(second.sessionId)).body.data.purchaseToken), 200);
    assert.deepEqual(
      (await salesOf(seller)).map(({ priceCents, state }) => [priceCents, state]),
      [
        [400, "paid"],
        [400, "paid"],
      ],
    );
  });

  test("two checkouts of one buyer that are both paid are two purchases, each with its token", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "a.txt", bytes: "a" }, 400);
    const tabs = [await open(file.shortId), await open(file.shortId)];
    for (const { sessionId } of tabs) stripe.checkouts.pay(sessionId, { email: "buyer@example.org" });
    const tokens = await Promise.all(tabs.map(async ({ sessionId }) => (await claim(sessionId)).body.data.purchaseToken));
    assert.equal(new Set(tokens).size, 2);
    for (const token of tokens) assert.equal(await download(file.id, token), 200);
    assert.equal((await salesOf(seller)).length, 2);
  });
});
