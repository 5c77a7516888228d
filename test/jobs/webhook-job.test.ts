import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { parseNetwork } from "../../src/domain/address.ts";
import { enqueueEndpoint } from "../../src/events/dispatch-events.ts";
import type { JobKind } from "../../src/jobs/job.ts";
import { createWebhookJob } from "../../src/jobs/webhook-job.ts";
import { createWebhookSender, type WebhookSender } from "../../src/jobs/webhook-sender.ts";
import {
  isSigned,
  makeAuthority,
  opensslMissing,
  startReceiver,
  type TestAuthority,
  type WebhookReceiver,
} from "../support/webhook-receiver.ts";
import {
  addEndpoint,
  addUser,
  claim,
  deliveries,
  dispatchAll,
  endpointRow,
  happen,
  listJobs,
  openWorkshop,
  runDue,
  type Workshop,
} from "./webhook-support.ts";

const loopback = parseNetwork("127.0.0.0/8") ?? assert.fail();

/** interface, "Events" and "Webhook event"; decisions, "Webhooks". */
describe("Delivering webhooks", { skip: opensslMissing ?? false }, () => {
  let authority: TestAuthority;
  let sender: WebhookSender;
  let kind: JobKind;

  before(async () => {
    authority = await makeAuthority();
    sender = createWebhookSender({ networks: [loopback], version: "1", ca: [authority.ca] });
    kind = createWebhookJob(sender);
  });
  after(async () => {
    await sender[Symbol.asyncDispose]();
    await authority[Symbol.asyncDispose]();
  });

  async function set(events = 1): Promise<Workshop & { receiver: WebhookReceiver; id: string; ownerId: string; secret: string }> {
    const receiver = await startReceiver(authority);
    const workshop = await openWorkshop();
    const { ctx } = workshop;
    const endpoint = await addEndpoint(ctx, { ownerId: await addUser(ctx), url: `${receiver.url}/hook?a=1` });
    for (let n = 0; n < events; n++) await happen(ctx, endpoint.ownerId);
    assert.equal(await dispatchAll(ctx), events);
    return {
      ...workshop,
      ...endpoint,
      receiver,
      async [Symbol.asyncDispose]() {
        await workshop[Symbol.asyncDispose]();
        await receiver[Symbol.asyncDispose]();
      },
    };
  }

  it("sends the documented body and headers, signed with the whole secret", async () => {
    await using made = await set();
    const { ctx, receiver, id, secret, clock } = made;
    assert.ok(await runDue(ctx, kind));
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
    assert.deepEqual(await listJobs(ctx), [], "nothing waits any more");
  });

  it("tries eight times with growing pauses, the same bytes under the same id each time, and then never again", async () => {
    await using made = await set();
    const { ctx, receiver, id, clock } = made;
    receiver.answer({ status: 500 });
    const pauses: number[] = [];
    for (;;) {
      assert.ok(await runDue(ctx, kind));
      assert.ok(!(await runDue(ctx, kind)), "not before its time");
      const [job] = await listJobs(ctx);
      if (!job) break;
      pauses.push((job.run_at - clock.nowMs) / 1000);
      clock.nowMs = job.run_at;
    }
    const about = [10, 30, 120, 600, 1800, 7200, 21600];
    assert.deepEqual(
      pauses.map(Math.round),
      about.map((seconds) => Math.round(seconds * (0.8 + (0.4 * 128) / 255))),
    );
    assert.equal(receiver.received.length, 8);
    assert.equal(new Set(receiver.received.map(({ rawBody }) => rawBody)).size, 1);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers["service-webhook-id"])).size, 1);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers["service-webhook-timestamp"])).size, 8, "signed anew each time");
    const [row] = await deliveries(ctx, id);
    assert.deepEqual([row?.status, row?.attempts, row?.response_status, row?.error], ["failed", 8, 500, "The receiver answered 500."]);
    clock.nowMs += 30 * 86_400_000;
    assert.ok(!(await runDue(ctx, kind)));
  });

  it("after 20 failed attempts in a row makes one attempt at a time, until one succeeds", async () => {
    await using made = await set(40);
    const { ctx, receiver, id } = made;
    receiver.answer({ status: 503, afterMs: 20 });
    await runDue(ctx, kind);
    assert.equal(receiver.received.length, 40);
    assert.ok(receiver.mostAtOnce > 1 && receiver.mostAtOnce <= 10, `${receiver.mostAtOnce}`);
    assert.equal((await endpointRow(ctx, id)).failed_attempts, 40);
    await using alone = await startReceiver(authority);
    alone.answer({ status: 503, afterMs: 20 });
    await ctx.db.updateTable("webhook_endpoints").set({ url: alone.url }).where("id", "=", id).execute();
    made.clock.nowMs += 13_000;
    await runDue(ctx, kind);
    assert.equal(alone.received.length, 40);
    assert.equal(alone.mostAtOnce, 1);
    alone.answer({ afterMs: 20 });
    made.clock.nowMs += 40_000;
    await runDue(ctx, kind);
    assert.ok(alone.mostAtOnce > 1, "parallel again");
    assert.ok((await deliveries(ctx, id)).every(({ status }) => status === "delivered"));
    assert.equal((await endpointRow(ctx, id)).failed_attempts, 0);
  });

  it("pauses after five events that failed for good, says why, and resumes when enabled", async () => {
    await using made = await set(6);
    const { ctx, receiver, id, ownerId, clock } = made;
    receiver.answer({ status: 410 });
    // Five have two attempts left; the sixth is on its way for longer.
    const [later] = (await deliveries(ctx, id)).slice(-1);
    assert.ok(later);
    await ctx.db.updateTable("webhook_deliveries").set({ failures: 6 }).execute();
    const laterMs = clock.nowMs + 86_400_000;
    await ctx.db.updateTable("webhook_deliveries").set({ next_attempt_at: laterMs }).where("id", "=", later.id).execute();
    await runDue(ctx, kind);
    assert.equal((await endpointRow(ctx, id)).status, "active");
    clock.nowMs += 8 * 3_600_000;
    await runDue(ctx, kind);
    const paused = await endpointRow(ctx, id);
    assert.equal(paused.status, "paused");
    assert.match(paused.paused_reason ?? "", /^5 events in a row .* eight attempts each\. The last one: The receiver answered 410\.$/);
    const before = receiver.received.length;
    clock.nowMs += 2 * 86_400_000;
    await happen(ctx, ownerId);
    assert.equal(await dispatchAll(ctx), 1, "what happens meanwhile waits");
    await ctx.tx((ctx) => enqueueEndpoint(ctx, id));
    await runDue(ctx, kind);
    assert.equal(receiver.received.length, before, "nothing is sent to a paused endpoint");

    receiver.answer({ status: 200 });
    await ctx.db
      .updateTable("webhook_endpoints")
      .set({ status: "active", failed_events: 0, failed_attempts: 0 })
      .where("id", "=", id)
      .execute();
    await happen(ctx, ownerId);
    assert.equal(await dispatchAll(ctx), 1);
    await runDue(ctx, kind);
    assert.equal(receiver.received.length, before + 3, "the new event, the one that was still on its way, and the one that has waited");
  });

  it("a success in between keeps an endpoint from being paused", async () => {
    await using made = await set(4);
    const { ctx, receiver, id, ownerId, clock } = made;
    receiver.answer({ status: 500 });
    await ctx.db.updateTable("webhook_deliveries").set({ failures: 7 }).execute();
    await runDue(ctx, kind);
    assert.equal((await endpointRow(ctx, id)).failed_events, 4);
    receiver.answer({});
    await happen(ctx, ownerId);
    await dispatchAll(ctx);
    await runDue(ctx, kind);
    assert.equal((await endpointRow(ctx, id)).failed_events, 0);
    clock.nowMs += 1;
  });

  it("signs with the secret of the moment, and goes to the address of the moment", async () => {
    await using made = await set();
    const { ctx, receiver, id, secret, clock } = made;
    receiver.answer({ status: 500 });
    await runDue(ctx, kind);
    await ctx.db
      .updateTable("webhook_endpoints")
      .set({ secret: ctx.keyring.encrypt("whsec_new"), url: `${receiver.url}/moved` })
      .where("id", "=", id)
      .execute();
    clock.nowMs += 13_000;
    await runDue(ctx, kind);
    const got = receiver.received[1];
    assert.ok(got);
    assert.equal(got.path, "/moved");
    assert.ok(isSigned(got, "whsec_new", clock.nowMs));
    assert.ok(!isSigned(got, secret, clock.nowMs));
  });

  it("follows no redirect", async () => {
    await using made = await set();
    const { ctx, receiver, id } = made;
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.answer({ status, headers: { location: `${receiver.url}/elsewhere` } });
      await ctx.db.updateTable("webhook_deliveries").set({ next_attempt_at: ctx.now() }).where("endpoint_id", "=", id).execute();
      await ctx.tx((ctx) => enqueueEndpoint(ctx, id));
      await runDue(ctx, kind);
      const [row] = await deliveries(ctx, id);
      assert.equal(row?.response_status, status);
      assert.match(row?.error ?? "", /^The receiver answered 30\d\. Redirects are not followed/);
    }
    assert.deepEqual(new Set(receiver.received.map(({ path }) => path)), new Set(["/hook?a=1"]));
  });

  it("counts no answer in time, no server, and a certificate that nobody vouches for as failed attempts", async () => {
    await using made = await set();
    const { ctx, receiver, id } = made;
    await using hasty = createWebhookSender({ networks: [loopback], version: "1", ca: [authority.ca], timeoutMs: 700 });
    const attempt = async (url: string, send = sender): Promise<string> => {
      await ctx.db.updateTable("webhook_endpoints").set({ url }).execute();
      await ctx.db.updateTable("webhook_deliveries").set({ next_attempt_at: ctx.now() }).execute();
      await ctx.tx((ctx) => enqueueEndpoint(ctx, id));
      await runDue(ctx, createWebhookJob(send));
      const [row] = await deliveries(ctx, id);
      assert.deepEqual([row?.status, row?.response_status], ["pending", null]);
      return row?.error ?? "";
    };
    receiver.answer({ afterMs: 5_000 });
    assert.equal(await attempt(receiver.url, hasty), "The receiver did not answer within 0.7 seconds.");
    assert.match(await attempt("https://127.0.0.1:1/"), /could not be reached/);
    await using other = await makeAuthority();
    await using stranger = await startReceiver(other);
    assert.match(await attempt(stranger.url), /certificate is not valid/);
    assert.equal(stranger.received.length, 0);
  });

  it("refuses addresses that are not public, whatever the URL says", async () => {
    await using made = await set();
    const { ctx, receiver, id } = made;
    await using strict = createWebhookSender({ networks: [], version: "1", ca: [authority.ca], resolve: async () => ["127.0.0.1"] });
    const port = new URL(receiver.url).port;
    for (const url of [
      receiver.url,
      `https://hooks.example.org:${port}/`,
      `https://localhost:${port}/`,
      `https://[::ffff:127.0.0.1]:${port}/`,
    ]) {
      await ctx.db.updateTable("webhook_endpoints").set({ url }).execute();
      await ctx.db.updateTable("webhook_deliveries").set({ next_attempt_at: ctx.now() }).execute();
      await ctx.tx((ctx) => enqueueEndpoint(ctx, id));
      await runDue(ctx, createWebhookJob(strict));
      assert.match((await deliveries(ctx, id))[0]?.error ?? "", /not on the public internet/, url);
    }
    assert.deepEqual(receiver.received, []);
  });

  it("an event that happens while its endpoint's job ends is not forgotten", async () => {
    await using made = await set();
    const { ctx, receiver, ownerId } = made;
    const job = await claim(ctx);
    assert.ok(job);
    receiver.answer({ afterMs: 50 });
    const run = kind.run(ctx, job, new AbortController().signal);
    for (let n = 0; n < 20; n++) {
      await happen(ctx, ownerId);
      await dispatchAll(ctx);
    }
    await run;
    while (await runDue(ctx, kind));
    assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, 21);
    assert.deepEqual(await listJobs(ctx), []);
  });

  it("told to stop, it finishes what is under way, begins nothing, and leaves the rest due", async () => {
    await using made = await set(30);
    const { ctx, receiver, id } = made;
    receiver.answer({ afterMs: 100 });
    const job = await claim(ctx);
    assert.ok(job);
    const stop = new AbortController();
    const run = kind.run(ctx, job, stop.signal);
    receiver.answer(() => {
      stop.abort();
      return { afterMs: 100 };
    });
    await run;
    const rows = await deliveries(ctx, id);
    assert.equal(rows.filter(({ status }) => status === "delivered").length, 10);
    assert.equal(receiver.received.length, 10);
    assert.equal((await listJobs(ctx)).length, 1);
    assert.ok(await runDue(ctx, kind));
    assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, 30);
  });

  it("a secret that cannot be read any more is a failed attempt that says so", async () => {
    await using made = await set();
    const { ctx, id } = made;
    await ctx.db.updateTable("webhook_endpoints").set({ secret: "AAAA" }).execute();
    await runDue(ctx, kind);
    assert.match((await deliveries(ctx, id))[0]?.error ?? "", /Rotate it/);
  });
});
