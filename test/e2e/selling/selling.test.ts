import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestStripe } from "../../support/services/stripe.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, upload } from "../support/api/api.ts";
import { addSeller, buy, endDownloads, priced, type SellingServer, startSellingServer } from "../support/shares/selling.ts";

/** selling, "Sellers", "Prices", "Purchases", "What buyers keep", "Refunds" and "The webhook". */
describe("selling", () => {
  let stripe: TestStripe;
  let server: SellingServer;
  before(async () => {
    server = await startSellingServer({ env: { FILEHOST_SELLING_FEE: "5%+30" }, events: "all" });
    ({ stripe } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const download = (id: string, query: Readonly<Record<string, string>> = {}) =>
    call(server, "GET", `/api/files/download/${id}?${new URLSearchParams(query)}`);
  const claim = (sessionId: string) =>
    call<{ data: { purchaseToken: string } }>(server, "POST", "/api/purchases/claim", { json: { sessionId } });

  test("begins with a seller's account at Stripe, whose readiness is required for prices", async () => {
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const file = await upload(server, { name: "a.txt", bytes: "a" }, { key });
    const none = await client.call("getSellerStatus", {});
    assert.deepEqual([none.readyToSell, none.data.detailsSubmitted, none.data.fee], [false, false, { percent: 5, fixedCents: 30 }]);
    assert.match(none.data.reason ?? "", /onboard/);
    const price = () => call(server, "PATCH", "/api/files/share-settings", { key, json: { fileId: file.id, priceCents: 500 } });
    assertRefused(await price(), { status: 409, code: "SELLER_NOT_READY" });
    const { data } = await client.call("onboardSeller", { country: "de" });
    const again = await client.call("connectSeller", { action: "onboard" });
    assert.notEqual(again.data.onboardUrl, data.onboardUrl);
    assert.equal(stripe.requests.filter(({ path, method }) => method === "POST" && path === "/v1/accounts").length, 1);
    assertRefused(await price(), { status: 409, code: "SELLER_NOT_READY" });
    const finished = await fetch(data.onboardUrl, { method: "GET" });
    await finished.text();
    await fetch(data.onboardUrl, { method: "POST", body: new URLSearchParams(), redirect: "manual" });
    const ready = await client.call("getSellerStatus", {});
    assert.deepEqual([ready.readyToSell, ready.data.payoutsEnabled, ready.data.reason], [true, true, null]);
    assert.equal((await price()).status, 200);
    assert.match((await client.call("openSellerDashboard", {})).data.loginUrl, /^http/);
  });

  test("sells a file: it is paid for, claimed and downloaded, until a refund", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "song.flac", bytes: "music" }, 499);
    const refused = await download(file.id);
    assertRefused(refused, { status: 402, code: "PAYMENT_REQUIRED" });
    const { priceCents, currency, checkoutUrl } = refused.body as Record<string, unknown>;
    assert.deepEqual([priceCents, currency, checkoutUrl], [499, "usd", `http://localhost:${new URL(server.url).port}/d/${file.shortId}`]);
    const { data: opened } = await clientOf(server).call("createCheckout", { shortId: file.shortId });
    assertRefused(await claim(opened.sessionId), { status: 402, code: "PAYMENT_REQUIRED" });
    stripe.checkouts.pay(opened.sessionId, { email: "buyer@example.org" });
    const claims = await Promise.all(Array.from({ length: 50 }, () => claim(opened.sessionId)));
    const tokens = new Set(claims.map(({ status, body }) => `${status} ${body.data.purchaseToken}`));
    assert.equal(tokens.size, 1);
    const purchaseToken = claims[0]?.body.data.purchaseToken ?? "";
    const { body } = await download(file.id, { purchaseToken });
    assert.equal(await (await fetch(body.url ?? "")).text(), "music");
    const account =
      stripe.requests.find(({ path }) => path === "/v1/checkout/sessions")?.params["payment_intent_data[transfer_data][destination]"] ?? "";
    assert.equal(stripe.balanceOf(account), 499 - 54);
    const [payment = ""] = stripe.events("payment_intent.succeeded").map(({ data }) => (data.object as { id: string }).id);
    stripe.refund(payment);
    await until("the refund ends the token", async () => (await download(file.id, { purchaseToken })).status === 402);
    assert.equal((await fetch(body.url ?? "")).status, 403);
    assertRefused(await claim(opened.sessionId), { status: 402, code: "PAYMENT_REQUIRED" });
    assert.equal(stripe.balanceOf(account), 0);
  });

  test("sells each download of a limited share once", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "two.txt", bytes: "two", fields: { maxDownloads: "2" } }, 100);
    const opening = await Promise.all(
      Array.from({ length: 6 }, () =>
        call<{ data?: { sessionId: string } }>(server, "POST", "/api/purchases/checkout", { json: { fileId: file.id } }),
      ),
    );
    const [first, second, ...none] = opening.flatMap(({ body }) => body.data ?? []);
    assert.equal(none.length, 0);
    assert.deepEqual(
      opening.map(({ status, body }) => [status, (body as { errorCode?: string }).errorCode ?? ""]).filter(([status]) => status !== 200),
      Array.from({ length: 4 }, () => [409, "SOLD_OUT"]),
    );
    // The owner's own download would take what is reserved.
    assert.equal((await call(server, "GET", `/api/files/download/${file.id}`, { key: seller.key })).status, 404);
    stripe.checkouts.pay(first?.sessionId ?? "", { email: "one@example.org" });
    const token = (await claim(first?.sessionId ?? "")).body.data.purchaseToken;
    const { body } = await download(file.id, { purchaseToken: token });
    assert.equal(await (await fetch(body.url ?? "")).text(), "two");
    await endDownloads(server, file.id);
    assert.equal((await download(file.id, { purchaseToken: token })).status, 404);
    stripe.checkouts.pay(second?.sessionId ?? "", { email: "two@example.org" });
    const other = (await claim(second?.sessionId ?? "")).body.data.purchaseToken;
    assert.equal(await (await fetch((await download(file.id, { purchaseToken: other })).body.url ?? "")).text(), "two");
    await endDownloads(server, file.id);
    assert.equal((await download(file.id, { purchaseToken: other })).status, 404);
  });

  test("needs no webhook for a claim, and no claim for a webhook", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "b.txt", bytes: "b" }, 100);
    stripe.webhooks.hold();
    const claimed = await buy(server, stripe, file.shortId);
    assert.equal((await download(file.id, { purchaseToken: claimed.purchaseToken })).status, 200);
    await stripe.webhooks.release((events) => [...events].reverse());
    await stripe.webhooks.settled();
    assert.equal((await download(file.id, { purchaseToken: claimed.purchaseToken })).status, 200);
    assert.equal((await claim(claimed.sessionId)).body.data.purchaseToken, claimed.purchaseToken);
  });

  test("refuses reports that Stripe did not sign", async () => {
    const body = JSON.stringify({ id: "evt_1", type: "charge.refunded", data: { object: {} } });
    for (const signature of ["", "t=1,v1=00"])
      assertRefused(await call(server, "POST", "/api/stripe/webhook", { body, headers: { "Stripe-Signature": signature } }), {
        status: 403,
        code: "SIGNATURE_INVALID",
      });
  });

  test("never takes files from buyers unless it is forced", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "kept.txt", bytes: "kept" }, 100);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    const settings = (json: Readonly<Record<string, unknown>>) =>
      call(server, "PATCH", "/api/files/share-settings", { key: seller.key, json: { fileId: file.id, ...json } });
    const soon = new Date(Date.now() + 2 * 60 * 60_000).toISOString();
    const attempts = [
      () => settings({ expiresAt: soon }),
      () => settings({ maxDownloads: 5 }),
      () => call(server, "POST", `/api/shares/${file.shortId}/close`, { key: seller.key, json: {} }),
      () => call(server, "POST", "/api/files/share", { key: seller.key, json: { fileIds: [file.id], move: true } }),
      () => call(server, "DELETE", `/api/files/delete?fileId=${file.id}`, { key: seller.key }),
    ];
    for (const attempt of attempts) {
      const refused = await attempt();
      assertRefused(refused, { status: 409, code: "HAS_BUYERS" });
      assert.equal(refused.body.buyers, 1);
    }
    // Another price, a code and a later end take nothing.
    for (const change of [{ priceCents: 900 }, { protect: true }, { extendTtl: "3d" }]) assert.equal((await settings(change)).status, 200);
    assert.equal((await download(file.id, { purchaseToken })).status, 200);
    assert.equal((await settings({ expiresAt: soon, force: true })).status, 200);
    assert.equal((await call(server, "DELETE", `/api/files/delete?fileId=${file.id}&force=true`, { key: seller.key })).status, 200);
    assert.equal((await download(file.id, { purchaseToken })).status, 404);
  });

  test("refunds a payment that arrives after the share was deleted", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "late.txt", bytes: "late" }, 700);
    const { sessionId } = (await clientOf(server).call("createCheckout", { shortId: file.shortId })).data;
    stripe.checkouts.payLater(sessionId, { email: "late@example.org" });
    await clientOf(server, seller).call("deleteFile", { fileId: file.id, force: true });
    stripe.checkouts.succeedLater(sessionId);
    await until("the money is back", () =>
      stripe.events("charge.refunded").some(({ data }) => (data.object as { amount: number }).amount === 700),
    );
    assert.equal(stripe.balanceOf(seller.account), 0);
  });

  test("is refunded by the seller, once, and by nobody else", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "back.txt", bytes: "b" }, 250);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    const client = clientOf(server, seller);
    const [sale] = (await client.call("listSales", {})).data;
    const refund = (key: string) => call(server, "POST", "/api/purchases/refund", { key, json: { id: sale?.id } });
    assertRefused(await refund((await addSeller(server, stripe)).key), { status: 404, code: "NOT_FOUND" });
    assert.equal((await refund(seller.key)).status, 200);
    await until("the money is back", async () => (await client.call("listSales", {})).data[0]?.state === "refunded");
    assertRefused(await refund(seller.key), { status: 409, code: "CONFLICT" });
    assert.equal((await download(file.id, { purchaseToken })).status, 402);
    assert.equal(stripe.balanceOf(seller.account), 0);
  });

  test("is disputed, which disables the token until the seller wins", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "disputed.txt", bytes: "d" }, 300);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    const intent = stripe.events("payment_intent.succeeded").at(-1)?.data.object as { id: string };
    const status = async () => (await download(file.id, { purchaseToken })).status;
    const dispute = stripe.disputes.open(intent.id);
    await until("the dispute ends the token", async () => (await status()) === 402);
    stripe.disputes.win(dispute);
    await until("the seller wins", async () => (await status()) === 200);
  });

  test("completes after kill -9 between the payment and its token", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "crash.txt", bytes: "c" }, 300);
    const { sessionId } = (await clientOf(server).call("createCheckout", { shortId: file.shortId })).data;
    stripe.webhooks.hold();
    stripe.checkouts.pay(sessionId, { email: "crash@example.org" });
    await server.restart({ signal: "SIGKILL" });
    await stripe.webhooks.release(() => []);
    const { purchaseToken } = (await clientOf(server).call("claimPurchase", { sessionId })).data;
    assert.equal((await download(file.id, { purchaseToken })).status, 200);
  });
});
