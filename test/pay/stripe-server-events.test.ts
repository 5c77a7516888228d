import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import type { Stripe } from "stripe";
import { connectTo, createSeller, sell, toSale } from "../support/services/stripe/client.ts";
import { sign, toBody } from "../support/services/stripe/send-event.ts";
import { startStripe, type TestStripe } from "../support/services/stripe.ts";

interface Received {
  readonly body: string;
  readonly signature: string;
}

/** A receiver of webhooks that answers with the next of `statuses`, then with 200. */
async function startReceiver(statuses: number[] = []) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // A request without an encoding yields buffers.
    received.push({ body: Buffer.concat(chunks).toString("utf8"), signature: String(request.headers["stripe-signature"]) });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stripe/webhook`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const verify = (server: TestStripe, { body, signature }: Received, secret = server.webhookSecret): Promise<Stripe.Event> =>
  connectTo(server).webhooks.constructEventAsync(body, signature, secret);

const verifyAll = (server: TestStripe, received: readonly Received[]) => Promise.all(received.map((one) => verify(server, one)));

describe("events of the Stripe of the tests", () => {
  test("are signed so that the official client accepts them, and nothing else", async () => {
    await using server = await startStripe();
    await using receiver = await startReceiver();
    server.sendEventsTo(receiver.url, { events: ["checkout.session.completed"] });
    const { session } = await sell(server);
    await server.webhooks.settled();
    const [first] = receiver.received;
    assert.ok(first && receiver.received.length === 1);
    const event = await verify(server, first);
    assert.ok(event.type === "checkout.session.completed" && event.data.object.id === session.id);
    await assert.rejects(verify(server, first, "whsec_other"), /No signatures found/);
    await assert.rejects(verify(server, { ...first, body: first.body.replace("1000", "1") }), /No signatures found/);
    const old = sign(first.body, server.webhookSecret, Date.now() - 301_000);
    await assert.rejects(verify(server, { body: first.body, signature: old }), /outside the tolerance zone/);
  });

  test("come again with the same ID until they are received", async () => {
    await using server = await startStripe();
    await using receiver = await startReceiver([500, 503]);
    server.sendEventsTo(receiver.url, { events: ["customer.created"] });
    const { id } = await connectTo(server).customers.create({});
    await server.webhooks.settled();
    const events = await verifyAll(server, receiver.received);
    assert.deepEqual(
      events.map((event) => event.id),
      Array(3).fill(server.events("customer.created")[0]?.id),
    );
    assert.ok(events.every((event) => event.type === "customer.created" && event.data.object.id === id));
    assert.deepEqual(
      server.webhooks.deliveries.map(({ status }) => status),
      [500, 503, 200],
    );
    const [again] = await server.deliver(events[0] ?? assert.fail("no event"));
    assert.equal(again?.status, 200);
    assert.equal(receiver.received.length, 4);
  });

  test("can be delayed, reordered and dropped, and report the state at their time", async () => {
    await using server = await startStripe();
    await using receiver = await startReceiver();
    server.sendEventsTo(receiver.url, { events: ["checkout.session.completed", "charge.refunded"] });
    server.webhooks.hold();
    const { client, intent } = await sell(server);
    server.refund(intent);
    await server.webhooks.settled();
    assert.equal(receiver.received.length, 0);
    await server.webhooks.release((events) => events.toReversed());
    const types = async () => (await verifyAll(server, receiver.received)).map(({ type }) => type);
    assert.deepEqual(await types(), ["charge.refunded", "checkout.session.completed"]);
    const charges = server.events("charge.succeeded").map((event) => event.type === "charge.succeeded" && event.data.object.refunded);
    assert.deepEqual(charges, [false]);
    const { id } = await client.checkout.sessions.create(toSale(await createSeller(server)));
    server.webhooks.drop(100);
    server.checkouts.pay(id);
    await server.webhooks.settled();
    assert.equal((await types()).length, 2);
    assert.equal(server.events("checkout.session.completed").length, 2);
  });

  test("of sellers' accounts go to Connect endpoints alone, each with its secret", async () => {
    await using server = await startStripe();
    await using own = await startReceiver();
    await using connect = await startReceiver();
    server.sendEventsTo(own.url);
    server.sendEventsTo(connect.url, { connect: true, secret: "whsec_connect", events: ["account.updated"] });
    server.sendEventsTo(`${own.url}/disabled`, { disabled: true });
    const seller = await createSeller(server);
    await connectTo(server).customers.create({}, { idempotencyKey: "a customer" });
    await server.webhooks.settled();
    assert.equal(connect.received.length, 1);
    const event = await verify(server, connect.received[0] ?? assert.fail("no event"), "whsec_connect");
    assert.ok(event.type === "account.updated" && event.account === seller && event.data.object.charges_enabled);
    const types = await verifyAll(server, own.received);
    assert.deepEqual(
      types.map(({ type, request }) => [type, request?.idempotency_key]),
      [["customer.created", "a customer"]],
    );
    const { data } = await connectTo(server).webhookEndpoints.list();
    assert.equal(data.shift()?.status, "disabled");
    assert.deepEqual(
      data.map(({ url, application }) => [url, application !== null]),
      [
        [connect.url, true],
        [own.url, false],
      ],
    );
    const listed = await connectTo(server).events.retrieve(event.id);
    assert.equal(JSON.parse(toBody(listed)).id, event.id);
  });
});
