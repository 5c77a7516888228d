import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { isSigned, opensslMissing } from "../../support/webhook-receiver.ts";
import { addAccount } from "../support/accounts.ts";
import { clientOf, signedUrl, upload } from "../support/api.ts";
import { createFileRequest, send, tokenOf } from "../support/requests.ts";
import { withDatabase } from "../support/state.ts";
import {
  ALL_EVENTS,
  addWebhook,
  changeWebhook,
  getDeliveries,
  getWebhook,
  sendTest,
  startWebhookServer,
  type WebhookServer,
  waitForEvent,
} from "../support/webhooks.ts";

/** webhooks, "Events", "Signature" and "Delivery": a real HTTPS receiver, trusted through a private authority. */
describeUnless(opensslMissing, "a server with webhooks", () => {
  let server: WebhookServer;
  before(async () => {
    server = await startWebhookServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const test = (id: string) => sendTest(server, server.me.key, id);
  const setStatus = (id: string, status: "active" | "paused") => changeWebhook(server, server.me.key, { id, status });
  const outboxEmpties = () =>
    until("the outbox is empty", () =>
      withDatabase(
        server,
        async (db) => (await db.selectFrom("events").select("id").where("dispatched_at", "is", null).execute()).length === 0,
      ),
    );
  const remove = (id: string) => clientOf(server, server.me).call("deleteWebhook", { id });

  it("delivers ready, authorized, downloaded and expired of one file, signed and once each", async () => {
    await using receiver = await server.receive();
    const { id, secret } = await addWebhook(server, server.me.key, { url: `${receiver.url}/hook` });
    const file = await upload(server, { name: "life.txt", bytes: "four", fields: { once: "true" } }, { key: server.me.key });
    const ready = await waitForEvent(receiver, "file.ready");
    const about = { fileId: file.id, shortId: file.shortId, name: "life.txt", size: 4, mimeType: file.mimeType, sharePath: file.sharePath };
    assert.deepEqual(ready.event.data, about);
    assert.match(ready.event.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const url = await signedUrl(server, file.id);
    assert.equal(await (await fetch(url)).text(), "four");
    assert.deepEqual((await waitForEvent(receiver, "file.authorized")).event.data, about);
    assert.deepEqual((await waitForEvent(receiver, "file.downloaded")).event.data, about);
    assert.deepEqual((await waitForEvent(receiver, "file.expired")).event.data, { ...about, reason: "expired" });
    await until("all four are in the log", async () => {
      const log = await getDeliveries(server, server.me.key, id);
      return log.length === 4 && log.every(({ status }) => status === "delivered");
    });
    assert.equal(receiver.received.length, 4);
    assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, 4);
    for (const got of receiver.received) {
      assert.ok(isSigned(got, secret));
      assert.equal(got.headers["service-webhook-id"], got.event.id);
      assert.equal(got.path, "/hook");
    }
    await remove(id);
  });

  it("delivers only the chosen events, of the account's own files", async () => {
    await using receiver = await server.receive();
    const { id } = await addWebhook(server, server.me.key, { url: receiver.url, events: ["file.authorized"] });
    const other = await addAccount(server);
    for (const key of [undefined, other.key]) await signedUrl(server, (await upload(server, { bytes: "x" }, { key })).id);
    const mine = await upload(server, { bytes: "x" }, { key: server.me.key });
    await signedUrl(server, mine.id);
    await waitForEvent(receiver, "file.authorized");
    await test(id);
    await waitForEvent(receiver, "webhook.test");
    assert.deepEqual(
      receiver.received.map(({ event }) => [event.type, event.type === "webhook.test" || event.data.fileId]),
      [
        ["file.authorized", mine.id],
        ["webhook.test", true],
      ],
    );
    await remove(id);
  });

  it("delivers the event of a file that arrived for a request, with the request's ID", async () => {
    await using receiver = await server.receive();
    const { id } = await addWebhook(server, server.me.key, { url: receiver.url, events: ["file.ready"] });
    const request = await createFileRequest(server, server.me.key);
    const sent = await send(server, { requestToken: tokenOf(request) });
    const { data } = (await waitForEvent(receiver, "file.ready")).event;
    assert.deepEqual([data.fileId, data.requestId], [sent.body.data.id, request.id]);
    await remove(id);
  });

  it("signs with only the new secret after a rotation", async () => {
    await using receiver = await server.receive();
    const { id, secret } = await addWebhook(server, server.me.key, { url: receiver.url });
    const { data: rotated } = await clientOf(server, { key: server.me.key }).call("rotateWebhookSecret", { id });
    assert.match(rotated.secret, /^whsec_[\w-]{43}$/);
    assert.notEqual(rotated.secret, secret);
    await test(id);
    const got = await waitForEvent(receiver, "webhook.test");
    assert.ok(isSigned(got, rotated.secret));
    assert.ok(!isSigned(got, secret));
    await remove(id);
  });

  it("delivers test events to a paused endpoint, and other events when it is resumed", async () => {
    await using receiver = await server.receive();
    const { id } = await addWebhook(server, server.me.key, { url: receiver.url, events: ["file.ready"] });
    await setStatus(id, "paused");
    await upload(server, { name: "missed.txt", bytes: "x" }, { key: server.me.key });
    await test(id);
    await waitForEvent(receiver, "webhook.test");
    assert.equal((await getWebhook(server, server.me.key, id)).status, "paused");
    await outboxEmpties();
    const [, waits] = await getDeliveries(server, server.me.key, id);
    assert.deepEqual([waits?.type, waits?.status, waits?.attempts], ["file.ready", "pending", 0]);
    await setStatus(id, "active");
    await waitForEvent(receiver, "file.ready");
    await upload(server, { name: "seen.txt", bytes: "x" }, { key: server.me.key });
    await until("both have arrived", () => receiver.received.length === 3);
    assert.deepEqual(
      receiver.received.map(({ event }) => event.data.name),
      ["test.txt", "missed.txt", "seen.txt"],
    );
    await remove(id);
  });

  it("resumes a delivery that waits for its next attempt when a paused endpoint is resumed", async () => {
    await using receiver = await server.receive();
    receiver.respondWith({ status: 500 });
    const { id } = await addWebhook(server, server.me.key, { url: receiver.url, events: ["file.ready"] });
    await upload(server, { bytes: "x" }, { key: server.me.key });
    await until("it failed", async () => (await getDeliveries(server, server.me.key, id))[0]?.attempts === 1);
    await setStatus(id, "paused");
    receiver.respondWith({});
    await setStatus(id, "active");
    await until("it is delivered", async () => (await getDeliveries(server, server.me.key, id))[0]?.status === "delivered");
    await remove(id);
  });

  it("does not wait for an endpoint that does not respond", async () => {
    await using slow = await server.receive();
    await using quick = await server.receive();
    slow.respondWith({ afterMs: 600_000 });
    const hanging = await addWebhook(server, server.me.key, { url: slow.url });
    const working = await addWebhook(server, server.me.key, { url: quick.url });
    for (let n = 0; n < 30; n++) await test(hanging.id);
    await until("the slow one is busy", () => slow.received.length >= 10);
    await test(working.id);
    await waitForEvent(quick, "webhook.test");
    assert.ok(slow.received.length < 30, "the slow one has not had its last event, and none of them has a response");
    assert.equal(slow.mostAtOnce, 10);
    for (const { id } of [hanging, working]) await remove(id);
  });

  it("delivers nothing to a deleted endpoint", async () => {
    await using receiver = await server.receive();
    receiver.respondWith({ status: 500 });
    const { id } = await addWebhook(server, server.me.key, { url: receiver.url });
    await test(id);
    await until("it failed", async () => (await getDeliveries(server, server.me.key, id))[0]?.attempts === 1);
    await remove(id);
    await using other = await server.receive();
    const next = await addWebhook(server, server.me.key, { url: other.url, events: ALL_EVENTS });
    await upload(server, { bytes: "x" }, { key: server.me.key });
    await waitForEvent(other, "file.ready");
    assert.equal(receiver.received.length, 1);
    await remove(next.id);
  });
});
