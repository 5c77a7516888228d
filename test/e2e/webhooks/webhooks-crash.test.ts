import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { startServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { makeAuthority, opensslMissing, startReceiver, type TestAuthority } from "../../support/webhook-receiver.ts";
import { addAccount } from "../support/accounts.ts";
import { upload } from "../support/api.ts";
import { addWebhook, getDeliveries, sendTest, startSendingServer } from "../support/webhooks.ts";

/** webhooks, "Delivery": each event is delivered at least once, whichever process is killed. */
describeUnless(opensslMissing, "webhooks of a server that stops", () => {
  let authority: TestAuthority;
  before(async () => {
    authority = await makeAuthority();
  });
  after(() => authority[Symbol.asyncDispose]());

  it("all events are delivered after a restart if the server was killed during deliveries", async () => {
    await using receiver = await startReceiver(authority);
    await using server = await startSendingServer(authority);
    const { key } = await addAccount(server);
    const { id } = await addWebhook(server, key, { url: receiver.url, events: ["file.ready"] });
    receiver.respondWith({ afterMs: 150 });
    const names = Array.from({ length: 60 }, (_, n) => `file-${n}.txt`);
    await Promise.all(names.map((name) => upload(server, { name, bytes: name }, { key })));
    for (const arrived of [5, 25]) {
      await until("some have arrived", () => receiver.received.length >= arrived);
      await server.restart({ signal: "SIGKILL" });
    }
    await until("all have arrived", () => new Set(receiver.received.map(({ event }) => event.data.name)).size === names.length);
    const log = await until("all are in the log", async () => {
      const lines = await getDeliveries(server, key, id, { limit: 200 });
      return lines.every(({ status }) => status === "delivered") && lines;
    });
    assert.equal(log.length, names.length, "each has one delivery");
    assert.equal(new Set(log.map(({ eventId }) => eventId)).size, names.length);
    assert.deepEqual(new Set(receiver.received.map(({ event }) => event.id)), new Set(log.map(({ eventId }) => eventId)));
  });

  it("a stopped server finishes its open deliveries, and delivers the rest after a restart", async () => {
    await using receiver = await startReceiver(authority);
    await using server = await startSendingServer(authority);
    const { key } = await addAccount(server);
    const { id } = await addWebhook(server, key, { url: receiver.url, events: ["file.ready"] });
    receiver.respondWith({ afterMs: 300 });
    for (let n = 0; n < 25; n++) await sendTest(server, key, id);
    await until("some have arrived", () => receiver.received.length >= 5);
    await server.restart({ signal: "SIGTERM" });
    await until("all are delivered", async () => (await getDeliveries(server, key, id)).every(({ status }) => status === "delivered"));
    assert.equal(receiver.received.length, 25, "none is sent twice");
  });

  it("nothing is delivered to an untrusted certificate or to an address that is not public", async () => {
    await using receiver = await startReceiver(authority);
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8" } });
    const { key } = await addAccount(server);
    const { id } = await addWebhook(server, key, { url: receiver.url });
    const attempt = async (): Promise<string | null> => {
      await sendTest(server, key, id);
      return await until("it was attempted", async () => {
        const [line] = await getDeliveries(server, key, id);
        return line?.attempts === 1 && line.error;
      });
    };
    assert.match((await attempt()) ?? "", /certificate is not valid/);
    await server.restart({ env: { FILEHOST_WEBHOOK_NETWORKS: "", NODE_EXTRA_CA_CERTS: authority.caFile } });
    assert.match((await attempt()) ?? "", /not on the public internet/);
    assert.deepEqual(receiver.received, []);
  });
});
