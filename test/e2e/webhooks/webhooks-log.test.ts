import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { ResponseOf } from "../../../src/service/contract.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { isSigned, opensslMissing } from "../../support/webhook-receiver.ts";
import { clientOf, upload } from "../support/api.ts";
import { addWebhook, getDeliveries, sendTest, startWebhookServer, type WebhookServer, waitForEvent } from "../support/webhooks.ts";

/** webhooks, "Endpoints", "Events" and "Delivery": the log of an endpoint, its test event, and retries. */
describeUnless(opensslMissing, "the delivery log of a webhook endpoint", () => {
  let server: WebhookServer;
  before(async () => {
    server = await startWebhookServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const test = (id: string) => sendTest(server, server.me.key, id);
  const remove = (id: string) => clientOf(server, server.me).call("deleteWebhook", { id });

  it("records a test event, which has every field of an event", async () => {
    await using receiver = await server.receive();
    const { id, secret } = await addWebhook(server, server.me.key, { url: receiver.url, events: ["file.failed"] });
    const sent = await test(id);
    const got = await waitForEvent(receiver, "webhook.test");
    assert.ok(isSigned(got, secret));
    assert.deepEqual(Object.keys(got.event.data).sort(), ["fileId", "mimeType", "name", "sharePath", "shortId", "size"]);
    const [line] = await until("it is delivered", async () => {
      const log = await getDeliveries(server, server.me.key, id);
      return log[0]?.status === "delivered" && log;
    });
    assert.ok(line);
    const { id: lineId, createdAt, deliveredAt, ...rest } = line;
    assert.deepEqual(rest, {
      eventId: got.event.id,
      type: "webhook.test",
      status: "delivered",
      attempts: 1,
      responseStatus: 200,
      error: null,
      nextAttemptAt: null,
    });
    assert.equal(lineId, sent.id);
    assert.ok(deliveredAt !== null && deliveredAt >= createdAt);
    await remove(id);
  });

  it("records a failed attempt and the time of the next one, about ten seconds later", async () => {
    await using receiver = await server.receive();
    receiver.respondWith(() => ({ status: receiver.received.length === 1 ? 500 : 204 }));
    const { id } = await addWebhook(server, server.me.key, { url: receiver.url, events: ["file.ready"] });
    await upload(server, { bytes: "again" }, { key: server.me.key });
    const failed = await until("the first attempt is in the log", async () =>
      (await getDeliveries(server, server.me.key, id)).find(({ attempts }) => attempts === 1),
    );
    assert.deepEqual([failed.status, failed.responseStatus, failed.error], ["pending", 500, "The endpoint responded with status 500."]);
    assert.ok(failed.nextAttemptAt !== null);
    await until("it is sent again", () => receiver.received.length === 2);
    const [first, second] = receiver.received;
    assert.ok(first && second);
    const pauseMs = second.atMs - first.atMs;
    assert.ok(pauseMs >= 7_900 && pauseMs <= 13_500, `${pauseMs} ms`);
    assert.equal(second.rawBody, first.rawBody);
    const done = await until("it is delivered", async () =>
      (await getDeliveries(server, server.me.key, id)).find(({ status }) => status === "delivered"),
    );
    assert.deepEqual([done.attempts, done.responseStatus, done.error, done.nextAttemptAt], [2, 204, null, null]);
    await remove(id);
  });

  it("allows a manual retry of failed and of delivered events", async () => {
    await using receiver = await server.receive();
    receiver.respondWith({ status: 400 });
    const { id } = await addWebhook(server, server.me.key, { url: receiver.url });
    await test(id);
    const failed = await until("it failed", async () =>
      (await getDeliveries(server, server.me.key, id)).find(({ attempts }) => attempts === 1),
    );
    receiver.respondWith({});
    const retry = () => clientOf(server, server.me).call("retryWebhookDelivery", { id, deliveryId: failed.id });
    for (const times of [2, 3]) {
      assert.equal((await retry()).data.status, "pending");
      await until("it is delivered", async () =>
        (await getDeliveries(server, server.me.key, id)).some(({ status, attempts }) => status === "delivered" && attempts === times),
      );
      assert.equal(receiver.received.length, times);
    }
    assert.equal(new Set(receiver.received.map(({ rawBody }) => rawBody)).size, 1);
    await remove(id);
  });

  it("is listed in pages, newest first", async () => {
    await using receiver = await server.receive();
    const { id } = await addWebhook(server, server.me.key, { url: receiver.url });
    const sent: string[] = [];
    for (let n = 0; n < 7; n++) {
      sent.unshift((await test(id)).id);
    }
    const seen: string[] = [];
    let cursor: string | null | undefined;
    for (let pages = 0; cursor !== null; pages++) {
      assert.ok(pages < 4);
      const page: ResponseOf<"listWebhookDeliveries"> = await clientOf(server, server.me).call("listWebhookDeliveries", {
        id,
        limit: 3,
        cursor,
      });
      seen.push(...page.data.map((line) => line.id));
      cursor = page.nextCursor;
    }
    assert.deepEqual([...seen].sort(), [...sent].sort());
    assert.deepEqual(seen, [...seen].sort().reverse());
    assert.equal((await getDeliveries(server, server.me.key, id, { limit: 9999 })).length, 7, "past the maximum is clamped");
    await remove(id);
  });
});
