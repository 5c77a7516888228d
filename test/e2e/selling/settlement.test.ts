import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { JobRow } from "../../../src/db/tables/jobs.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { syncDueSubscriptions } from "../../../src/service/billing/subscriptions.ts";
import { refundJob } from "../../../src/service/purchases/refund-job.ts";
import { settleOverdue } from "../../../src/service/purchases/settle.ts";
import { findPurchaseBySession, updatePurchase } from "../../../src/service/selling/purchase-rows.ts";
import type { TestStripe } from "../../support/stripe.ts";
import { until } from "../../support/until.ts";
import { addAccount, getMe } from "../support/accounts.ts";
import { assertRefused, call, clientOf } from "../support/api.ts";
import { sha256 } from "../support/multipart.ts";
import { addSeller, buy, lastOf, openProCheckout, type ProServer, priced, startProServer } from "../support/selling.ts";
import { holdSchedule, withConfiguredContext } from "../support/server-context.ts";
import { withDatabase } from "../support/state.ts";

/** The job asks for as many in one run. */
const BATCH_SIZE = 50;

/** selling, "The webhook" and "Pro": what is asked of Stripe, in which order, and what becomes of old answers. */
describe("the state at Stripe", () => {
  let stripe: TestStripe;
  let server: ProServer;
  before(async () => {
    server = await startProServer({ env: { FILEHOST_LIMITS: JSON.stringify({ rates: { checkouts: 1000 } }) }, events: "all" });
    ({ stripe } = server);
    await holdSchedule(server, ["settle-checkouts", "end-checkouts", "read-subscriptions"]);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const open = async (shortId: string) => (await clientOf(server).call("createCheckout", { shortId })).data.sessionId;
  const claim = (sessionId: string) => call(server, "POST", "/api/purchases/claim", { json: { sessionId } });
  const settleDue = () => withConfiguredContext(server, settleOverdue);
  const statusOf = (sessionId: string) =>
    withConfiguredContext(server, async (ctx) => (await findPurchaseBySession(ctx, sessionId))?.status);
  /** The time of a checkout is over, as long ago as told. */
  const endTime = (sessionId: string, agoMs: number) =>
    withConfiguredContext(server, async (ctx) => {
      const time = Date.now() - agoMs;
      const purchase = await findPurchaseBySession(ctx, sessionId);
      assert.ok(purchase);
      await updatePurchase(ctx.db, purchase.id, { expires_at: time, check_at: time });
    });
  const begin = async () => {
    const { userId, key } = await addAccount(server);
    const open = () => openProCheckout(server, key);
    return { userId, key, open };
  };
  const subscribe = async () => {
    const { open, ...account } = await begin();
    stripe.checkouts.pay(await open(), { email: "pro@example.org" });
    await stripe.webhooks.settled();
    return { ...account, open, id: lastOf(stripe, "customer.subscription.created").id };
  };
  const beginAgain = async () => {
    const { id, ...account } = await subscribe();
    stripe.subscriptions.end(id);
    await stripe.webhooks.settled();
    return account;
  };
  /** No paid time is left of a subscription, as far as the server knows, which has not asked for hours. */
  const endPaidTime = (id: string) =>
    withDatabase(server, async (db) => {
      const times = { period_ends_at: Date.now() - 1000, checked_at: 0 };
      await db.updateTable("subscriptions").set(times).where("subscription_id", "=", id).execute();
    });
  /** Sends the last event of a type, while others are held. */
  const report = async (type: Parameters<TestStripe["events"]>[0]) => {
    const event = stripe.events(type).at(-1);
    assert.ok(event);
    return await stripe.deliver(event);
  };

  test("is requested for each expired checkout, also after as many as one run requests that stay open", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "a.txt", bytes: "a" }, 100);
    stripe.webhooks.hold();
    for (let index = 0; index < BATCH_SIZE; index += 1) {
      const sessionId = await open(file.shortId);
      stripe.checkouts.payLater(sessionId);
      await endTime(sessionId, 60_000 + BATCH_SIZE - index);
    }
    const paid = await open(file.shortId);
    stripe.checkouts.pay(paid);
    await endTime(paid, 1000);
    await stripe.webhooks.release(() => []);
    await settleDue();
    assert.equal(await statusOf(paid), "open");
    await settleDue();
    assert.equal(await statusOf(paid), "paid");
  });

  test("ends a checkout that Stripe does not know at its expiry, and releases its reservation", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "one.txt", bytes: "1", fields: { maxDownloads: "1" } }, 100);
    const sessionId = await open(file.shortId);
    stripe.checkouts.forget(sessionId);
    const unpaid = await claim(sessionId);
    assertRefused(unpaid, { status: 402, code: "PAYMENT_REQUIRED" });
    assert.equal(unpaid.body.purchaseStatus, "open");
    const other = () => call(server, "POST", "/api/purchases/checkout", { json: { shortId: file.shortId } });
    assertRefused(await other(), { status: 409, code: "SOLD_OUT" });
    await endTime(sessionId, 1000);
    await settleDue();
    assert.equal((await claim(sessionId)).body.purchaseStatus, "ended");
    assert.equal((await other()).status, 200);
  });

  test("causes the refund of a payment that arrives when all files of the share are blocked", async () => {
    const seller = await addSeller(server, stripe);
    const administrator = await addAccount(server, { isAdministrator: true });
    const bytes = "bytes that a court forbids";
    const file = await priced(server, seller, { name: "blocked.txt", bytes }, 100);
    const sessionId = await open(file.shortId);
    await clientOf(server, administrator).call("blockDigests", { digests: [sha256(bytes)] });
    stripe.checkouts.pay(sessionId);
    await until("the payment is paid back", async () => (await statusOf(sessionId)) === "refunded");
  });

  test("delays a refund while the payment is disputed, until the dispute is won or was lost long ago", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "r.txt", bytes: "r" }, 100);
    const dispute = async () => {
      const { sessionId } = await buy(server, stripe, file.shortId);
      const id = stripe.disputes.open(lastOf(stripe, "payment_intent.succeeded").id);
      const [sale] = (await clientOf(server, seller).call("listSales", {})).data;
      return { sessionId, id, saleId: sale?.id ?? "" };
    };
    const refund = (subject: string) =>
      withConfiguredContext(server, async (ctx) => await refundJob.run(ctx, { subject } as JobRow, AbortSignal.timeout(60_000)));
    const [won, lost] = [await dispute(), await dispute()];
    for (const { saleId } of [won, lost]) {
      const outcome = await refund(saleId);
      assert.ok(outcome.kind === "again" && outcome.reason === undefined && outcome.atMs > Date.now() + 3_600_000);
    }
    stripe.disputes.win(won.id);
    assert.deepEqual(await refund(won.saleId), { kind: "done" });
    assert.equal(await statusOf(won.sessionId), "refunded");
    stripe.disputes.lose(lost.id);
    await stripe.webhooks.settled();
    await withDatabase(server, (db) => db.updateTable("purchases").set({ ended_at: 0 }).where("id", "=", lost.saleId).execute());
    assert.deepEqual(await refund(lost.saleId), { kind: "done" });
    assert.equal(await statusOf(lost.sessionId), "disputed");
  });

  test("is requested again if another response about a purchase was stored during the first request", async () => {
    const seller = await addSeller(server, stripe);
    const file = await priced(server, seller, { name: "b.txt", bytes: "b" }, 100);
    const { purchaseToken } = await buy(server, stripe, file.shortId);
    await stripe.webhooks.settled();
    stripe.webhooks.hold();
    const intent = lastOf(stripe, "payment_intent.succeeded");
    const dispute = stripe.disputes.open(intent.id);
    const answer = stripe.holdAnswer(/^\/v1\/disputes$/);
    const old = report("charge.dispute.created");
    await answer.reached;
    stripe.disputes.win(dispute);
    await report("charge.dispute.closed");
    answer.release();
    await old;
    await stripe.webhooks.release(() => []);
    const { status } = await call(server, "GET", `/api/files/download/${file.id}?purchaseToken=${purchaseToken}`);
    assert.equal(status, 200);
  });

  test("is requested again if another response about a seller was stored during the first request", async () => {
    const seller = await addSeller(server, stripe);
    await stripe.webhooks.settled();
    stripe.webhooks.hold();
    const client = clientOf(server, seller);
    stripe.sellers.setReadiness(seller.account, { charges: false });
    const answer = stripe.holdAnswer(/^\/v1\/accounts\//);
    const old = client.call("getSellerStatus", {});
    await answer.reached;
    stripe.sellers.setReadiness(seller.account, { charges: true });
    assert.equal((await client.call("getSellerStatus", {})).readyToSell, true);
    answer.release();
    assert.equal((await old).readyToSell, true);
    await stripe.webhooks.release(() => []);
    assert.equal((await client.call("getSellerStatus", { sync: false })).readyToSell, true);
  });

  test("is requested again if another response about a subscription was stored during the first request", async () => {
    const { key, id } = await subscribe();
    const { proUntil: first } = await getMe(server, key);
    assert.ok(first);
    stripe.webhooks.hold();
    const answer = stripe.holdAnswer(/^\/v1\/invoices$/);
    const old = report("customer.subscription.created");
    await answer.reached;
    stripe.subscriptions.renew(id);
    await report("customer.subscription.updated");
    const { proUntil: renewed } = await getMe(server, key);
    assert.ok(Date.parse(renewed ?? "") > Date.parse(first));
    answer.release();
    await old;
    await stripe.webhooks.release(() => []);
    assert.equal((await getMe(server, key)).proUntil, renewed);
  });

  test("is requested for each subscription without remaining paid time, once an hour, whether it responds or not", async () => {
    const { key, id } = await subscribe();
    const { proUntil } = await getMe(server, key);
    stripe.webhooks.hold();
    stripe.subscriptions.renew(id);
    await stripe.webhooks.release(() => []);
    await endPaidTime(id);
    stripe.failures.plan("server_error", `/v1/subscriptions/${id}`, { times: 100 });
    await withConfiguredContext(server, syncDueSubscriptions);
    stripe.failures.clear();
    const asked = stripe.requests.length;
    await withConfiguredContext(server, syncDueSubscriptions);
    assert.equal(stripe.requests.length, asked);
    await endPaidTime(id);
    await withConfiguredContext(server, syncDueSubscriptions);
    assert.ok(Date.parse((await getMe(server, key)).proUntil ?? "") > Date.parse(proUntil ?? ""));
  });

  for (const time of ["first", "second"] as const)
    test(`is requested for an account that opened a checkout for Pro, once an hour for a day, until it has paid (the ${time} time)`, async () => {
      const { userId, key, open } = await (time === "first" ? begin() : beginAgain());
      const setTimes = (times: { checked_at: number; awaited_until?: number }) =>
        withDatabase(server, (db) => db.updateTable("subscriptions").set(times).where("user_id", "=", userId).execute());
      const readDue = async (): Promise<boolean> => {
        const asked = stripe.requests.length;
        await withConfiguredContext(server, syncDueSubscriptions);
        return stripe.requests.length > asked;
      };
      const isPro = async () => Date.parse((await getMe(server, key)).proUntil ?? "") > Date.now();
      const checkout = await open();
      assert.equal(await readDue(), false);
      stripe.webhooks.hold();
      stripe.checkouts.pay(checkout);
      await stripe.webhooks.release(() => []);
      await setTimes({ checked_at: 0, awaited_until: Date.now() - 1 });
      assert.deepEqual([await readDue(), await isPro()], [false, false]);
      await setTimes({ checked_at: 0, awaited_until: Date.now() + DAY_MS });
      assert.deepEqual([await readDue(), await isPro()], [true, true]);
      await setTimes({ checked_at: 0 });
      assert.equal(await readDue(), false);
    });

  test("ends a subscription that Stripe does not know, and refunds nothing", async () => {
    const { key, id } = await subscribe();
    const { proUntil } = await getMe(server, key);
    stripe.subscriptions.forget(id);
    await endPaidTime(id);
    await withConfiguredContext(server, syncDueSubscriptions);
    const state = await withDatabase(server, (db) =>
      db.selectFrom("subscriptions").select("state").where("subscription_id", "=", id).executeTakeFirstOrThrow(),
    );
    assert.deepEqual([state, (await getMe(server, key)).proUntil], [{ state: "ended" }, proUntil]);
  });
});
