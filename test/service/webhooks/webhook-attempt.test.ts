import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { enqueueEndpointJob } from "../../../src/service/webhooks/enqueue-endpoint-job.ts";
import { createWebhookJob } from "../../../src/service/webhooks/webhook-job.ts";
import { createWebhookSender } from "../../../src/service/webhooks/webhook-sender.ts";
import { isSigned, makeAuthority, opensslMissing, startReceiver } from "../../support/services/webhook-receiver.ts";
import { describeUnless } from "../../support/suite.ts";
import { deliveries, LOOPBACK, listJobs, openPosting, runDue, type Sending, startSending } from "./support.ts";

/** webhooks, "Signature" and "Delivery": what one attempt sends, where, and what counts as a failure. */
describeUnless(opensslMissing, "an attempt to deliver a webhook", () => {
  let sending: Sending;
  before(async () => {
    sending = await startSending();
  });
  after(() => sending[Symbol.asyncDispose]());

  it("sends the documented body and headers, signed with the whole secret", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, id, secret, clock } = made;
    assert.ok(await runDue(ctx, sending.kind));
    const [got] = receiver.received;
    const [row] = await deliveries(ctx, id);
    assert.ok(got && row);
    assert.equal(got.path, "/hook?a=1");
    assert.match(String(got.headers["content-type"]), /^application\/json/);
    assert.equal(got.headers["service-webhook-id"], got.event.id);
    assert.equal(got.headers["service-webhook-timestamp"], String(clock.nowMs / 1000));
    assert.match(String(got.headers["service-webhook-signature"]), /^v1,[0-9a-f]{64}$/);
    assert.ok(isSigned(got, secret, clock.nowMs));
    assert.ok(!isSigned(got, secret.slice("whsec_".length), clock.nowMs), "the key is the whole secret");
    assert.ok(!isSigned({ ...got, rawBody: `${got.rawBody} ` }, secret, clock.nowMs));
    const data = {
      fileId: "file0000file0000",
      shortId: "abcdefgh",
      name: "a.txt",
      size: 3,
      mimeType: "text/plain",
      sharePath: "/d/abcdefgh",
    };
    assert.deepEqual(got.event, { id: row.event_id, type: "file.ready", createdAt: new Date(clock.nowMs).toISOString(), data });
    assert.deepEqual(
      {
        status: row.status,
        attempts: row.attempts,
        response: row.response_status,
        error: row.error,
        next: row.next_attempt_at,
        at: row.delivered_at,
      },
      { status: "delivered", attempts: 1, response: 200, error: null, next: null, at: clock.nowMs },
    );
    assert.deepEqual(await listJobs(ctx), [], "no job is left");
  });

  it("uses the secret and the URL that the endpoint has at that time", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, id, secret, clock } = made;
    receiver.respondWith({ status: 500 });
    await runDue(ctx, sending.kind);
    await ctx.db
      .updateTable("webhook_endpoints")
      .set({ secret: ctx.keyring.encrypt("whsec_new"), url: `${receiver.url}/moved` })
      .where("id", "=", id)
      .execute();
    clock.nowMs += 13_000;
    await runDue(ctx, sending.kind);
    const got = receiver.received[1];
    assert.ok(got);
    assert.equal(got.path, "/moved");
    assert.ok(isSigned(got, "whsec_new", clock.nowMs));
    assert.ok(!isSigned(got, secret, clock.nowMs));
  });

  it("follows no redirect", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, id } = made;
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.respondWith({ status, headers: { location: `${receiver.url}/elsewhere` } });
      await ctx.db.updateTable("webhook_deliveries").set({ next_attempt_at: ctx.now() }).where("endpoint_id", "=", id).execute();
      await ctx.transaction((ctx) => enqueueEndpointJob(ctx, id));
      await runDue(ctx, sending.kind);
      const [row] = await deliveries(ctx, id);
      assert.equal(row?.response_status, status);
      assert.match(row?.error ?? "", /^The endpoint responded with status 30\d\. Redirects are not followed/);
    }
    assert.deepEqual(new Set(receiver.received.map(({ path }) => path)), new Set(["/hook?a=1"]));
  });

  it("counts a timeout, a refused connection and an untrusted certificate as failed attempts", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, id } = made;
    await using hasty = createWebhookSender({ networks: [LOOPBACK], version: "1", ca: [sending.authority.ca], timeoutMs: 700 });
    const attempt = async (url: string, send = sending.sender): Promise<string> => {
      await ctx.db.updateTable("webhook_endpoints").set({ url }).execute();
      await ctx.db.updateTable("webhook_deliveries").set({ next_attempt_at: ctx.now() }).execute();
      await ctx.transaction((ctx) => enqueueEndpointJob(ctx, id));
      await runDue(ctx, createWebhookJob(send));
      const [row] = await deliveries(ctx, id);
      assert.deepEqual([row?.status, row?.response_status], ["pending", null]);
      return row?.error ?? "";
    };
    receiver.respondWith({ afterMs: 5_000 });
    assert.equal(await attempt(receiver.url, hasty), "The endpoint did not respond within 0.7 seconds.");
    assert.match(await attempt("https://127.0.0.1:1/"), /cannot be reached/);
    await using other = await makeAuthority();
    await using stranger = await startReceiver(other);
    assert.match(await attempt(stranger.url), /certificate is not valid/);
    assert.equal(stranger.received.length, 0);
  });

  it("refuses addresses that are not public, also behind a public name", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, id } = made;
    await using strict = createWebhookSender({
      networks: [],
      version: "1",
      ca: [sending.authority.ca],
      resolve: async () => ["127.0.0.1"],
    });
    const port = new URL(receiver.url).port;
    for (const url of [
      receiver.url,
      `https://hooks.example.org:${port}/`,
      `https://localhost:${port}/`,
      `https://[::ffff:127.0.0.1]:${port}/`,
    ]) {
      await ctx.db.updateTable("webhook_endpoints").set({ url }).execute();
      await ctx.db.updateTable("webhook_deliveries").set({ next_attempt_at: ctx.now() }).execute();
      await ctx.transaction((ctx) => enqueueEndpointJob(ctx, id));
      await runDue(ctx, createWebhookJob(strict));
      assert.match((await deliveries(ctx, id))[0]?.error ?? "", /not on the public internet/, url);
    }
    assert.deepEqual(receiver.received, []);
  });

  it("fails with an explanation when the secret cannot be decrypted", async () => {
    await using made = await openPosting(sending);
    const { ctx, id } = made;
    await ctx.db.updateTable("webhook_endpoints").set({ secret: "AAAA" }).execute();
    await runDue(ctx, sending.kind);
    assert.match((await deliveries(ctx, id))[0]?.error ?? "", /Rotate it/);
  });
});
