import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { startStripe, type TestStripe } from "../../support/services/stripe.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { PERSONS_PASSWORD } from "../support/accounts/person.ts";
import { call, clientOf } from "../support/api/api.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";
import { becomeSeller, lastOf, priced } from "../support/shares/selling.ts";

const CLAIMS = 50;

/** selling, "Purchases" and "The webhook", on two servers with one database. */
for (const database of ["server", "file"] as const)
  describeUnless(longSkipped, `selling on two server instances with one database, a ${database}`, () => {
    let stripe: TestStripe;
    let servers: ServerInstances;
    before(async () => {
      stripe = await startStripe();
      const limits = { rates: { signUps: 1000, checkouts: 1000 } };
      servers = await startServerInstances({
        count: 2,
        database,
        env: { ...stripe.env, FILEHOST_SCANNER: "off", FILEHOST_LIMITS: JSON.stringify(limits) },
      });
      // Stripe reports to the second one alone.
      stripe.sendEventsTo(`${servers.instance(1).url}/api/stripe/webhook`);
    });
    after(async () => {
      await servers?.[Symbol.asyncDispose]();
      await stripe?.[Symbol.asyncDispose]();
    });

    async function addSeller() {
      const person = { email: `${crypto.randomUUID()}@example.org`, password: PERSONS_PASSWORD, name: "Ada" };
      const { sessionToken } = (await clientOf(servers.instance(0)).call("signUp", person)).data;
      return await becomeSeller(servers.instance(0), stripe, { key: sessionToken });
    }
    const open = async (shortId: string) => (await clientOf(servers.instance(0)).call("createCheckout", { shortId })).data.sessionId;
    /** Claims at both at the same time; resolves to the different answers. */
    const claimAll = async (sessionId: string) => {
      const answers = await Promise.all(
        Array.from({ length: CLAIMS }, (_, index) =>
          call<{ data?: { purchaseToken: string } }>(servers.instance(index), "POST", "/api/purchases/claim", { json: { sessionId } }),
        ),
      );
      return [...new Set(answers.map(({ status, body }) => `${status} ${body.data?.purchaseToken}`))];
    };
    const download = async (index: number, id: string, purchaseToken: string) =>
      (await call(servers.instance(index), "GET", `/api/files/download/${id}?purchaseToken=${purchaseToken}`)).status;
    const tokenOf = ([answer = "", ...others]: readonly string[]): string => {
      assert.deepEqual(others, []);
      assert.match(answer, /^200 pu_/);
      return answer.slice("200 ".length);
    };

    test("a checkout of one is settled by the report to the other, and claims at both give one token until a refund", async () => {
      const seller = await addSeller();
      const file = await priced(servers.instance(0), seller, { name: "a.txt", bytes: "a" }, 300);
      const sessionId = await open(file.shortId);
      stripe.checkouts.pay(sessionId);
      await stripe.webhooks.settled();
      const asked = stripe.requests.length;
      const token = tokenOf(await claimAll(sessionId));
      assert.equal(stripe.requests.length, asked);
      for (const index of [0, 1]) assert.equal(await download(index, file.id, token), 200);
      stripe.refund(lastOf(stripe, "payment_intent.succeeded").id);
      await stripe.webhooks.settled();
      for (const index of [0, 1]) assert.equal(await download(index, file.id, token), 402);
      assert.deepEqual(await claimAll(sessionId), ["402 undefined"]);
    });

    test("claims at both give one token and make one sale without a report, and a later report changes nothing", async () => {
      const seller = await addSeller();
      const file = await priced(servers.instance(0), seller, { name: "b.txt", bytes: "b" }, 300);
      const sessionId = await open(file.shortId);
      stripe.webhooks.hold();
      stripe.checkouts.pay(sessionId);
      const token = tokenOf(await claimAll(sessionId));
      await stripe.webhooks.release();
      await stripe.webhooks.settled();
      assert.equal(tokenOf(await claimAll(sessionId)), token);
      for (const index of [0, 1]) assert.equal((await clientOf(servers.instance(index), seller).call("listSales", {})).data.length, 1);
    });

    test("checkouts at both sell each download of a limited share once", async () => {
      const seller = await addSeller();
      const file = await priced(servers.instance(0), seller, { name: "c.txt", bytes: "c", fields: { maxDownloads: "3" } }, 300);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          call(servers.instance(index), "POST", "/api/purchases/checkout", { json: { shortId: file.shortId } }),
        ),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 3);
      assert.equal(answers.filter(({ body }) => body.errorCode === "SOLD_OUT").length, 7);
    });

    test("the other instance claims a payment when the one with the checkout was killed", async () => {
      const seller = await addSeller();
      const file = await priced(servers.instance(0), seller, { name: "d.txt", bytes: "d" }, 300);
      const sessionId = await open(file.shortId);
      stripe.webhooks.hold();
      // Killed while it asks Stripe.
      stripe.checkouts.pay(sessionId);
      const answer = stripe.holdAnswer(/^\/v1\/checkout\/sessions\//);
      const lost = assert.rejects(clientOf(servers.instance(0)).call("claimPurchase", { sessionId }));
      await answer.reached;
      await servers.instance(0).kill();
      await lost;
      answer.release();
      const { purchaseToken } = (await clientOf(servers.instance(1)).call("claimPurchase", { sessionId })).data;
      assert.equal(await download(1, file.id, purchaseToken), 200);
      await servers.instance(0).restart();
      await stripe.webhooks.release(() => []);
      await until("the killed one is back", async () => (await download(0, file.id, purchaseToken)) === 200);
    });
  });
