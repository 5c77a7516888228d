import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { until } from "../support/until.ts";
import { isSigned, opensslMissing } from "../support/webhook-receiver.ts";
import { call, upload } from "./support/api.ts";
import { addWebhook, getDeliveries, startWebhookServer, type WebhookServer, waitForEvent } from "./support/webhooks.ts";

/** webhooks, "Endpoints", "Events" and "Delivery": the log of an endpoint, its test event, and retries. */
describe("the delivery log of a webhook endpoint", { skip: opensslMissing ?? false }, () => {
  let server: WebhookServer;
  before(async () => {
    server = await startWebhookServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const test = (id: string) => call(server, "POST", `/api/webhooks/${id}/test`, { key: server.me.key });
  const remove = (id: string) => call(server, "DELETE", `/api/webhooks/${id}`, { key: server.me.key });

  it("records a test event, which has every field of an event", async () => {
    await using receiver = await server.receive();
    const { id, secret } = await addWebhook(server, server.me.key, { url: receiver.url, events: ["file.failed"] });
    const { status, body } = await test(id);
    assert.equal(status, 200);
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
    assert.equal(lineId, (body.data as { id: string }).id);
    assert.ok(deliveredAt !== null && deliveredAt >= createdAt);
    await remove(id);
  });

  it("records a failed attempt and the time of the next one, about ten seconds later", async () => {
    await using receiver = await server.receive();
    receiver.answer(() => ({ status: receiver.received.length === 1 ? 500 : 204 }));
    const { id } = await addWebhook(server, server.me.key, { url: receiver.url, events: ["file.ready"] });
    await upload(server, { bytes: "again" }, { key: server.me.key });
    const failed = await until("the first attempt is in the log", async () =>
      (await getDeliveries(server, server.me.key, id)).find(({ attempts }) => attempts === 1),
    );
    assert.deepEqual([failed.status, failed.responseStatus, failed.error], ["pending", 500, "The endpoint responded with status 500."]);
    assert.ok(failed.nextAttemptAt !== null);
    await until("it is sent again", () => receiver.received.length === 2, { deadlineMs: 15_000 });
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
    receiver.answer({ status: 400 });
    const { id } = await addWebhook(server, server.me.key, { url: receiver.url });
    await test(id);
    const failed = await until("it failed", async () =>
      (await getDeliveries(server, server.me.key, id)).find(({ attempts }) => attempts === 1),
    );
    receiver.answer({});
    const retry = () => call(server, "POST", `/api/webhooks/${id}/deliveries/${failed.id}/retry`, { key: server.me.key });
    for (const times of [2, 3]) {
      const { status, body } = await retry();
      assert.deepEqual([status, (body.data as { status: string }).status], [200, "pending"]);
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
      sent.unshift(((await test(id)).body.data as { id: string }).id);
    }
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null; pages++) {
      assert.ok(pages < 4);
      const query: string = `?limit=3${cursor ? `&cursor=${cursor}` : ""}`;
      const { body } = await call<{ data: { id: string }[]; nextCursor: string | null }>(
        server,
        "GET",
        `/api/webhooks/${id}/deliveries${query}`,
        { key: server.me.key },
      );
      seen.push(...body.data.map((line) => line.id));
      cursor = body.nextCursor;
    }
    assert.deepEqual([...seen].sort(), [...sent].sort());
    assert.deepEqual(seen, [...seen].sort().reverse());
    assert.equal((await getDeliveries(server, server.me.key, id, "?limit=9999")).length, 7, "past the maximum is clamped");
    await remove(id);
  });
});
