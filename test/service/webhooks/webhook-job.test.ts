import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { changeUser } from "../../../src/service/administration/users.ts";
import { enqueueEndpointJob } from "../../../src/service/webhooks/enqueue-endpoint-job.ts";
import { opensslMissing, type ReceiverResponse, startReceiver, type WebhookReceiver } from "../../support/services/webhook-receiver.ts";
import { describeUnless } from "../../support/suite.ts";
import {
  claim,
  deliveries,
  dispatchAll,
  endpointRow,
  happen,
  listJobs,
  openPosting,
  runDue,
  type Sending,
  startSending,
} from "./support.ts";

/** Responds to the first request, and to no other until two wait. */
function holdUntilTwoWait(receiver: WebhookReceiver, how: ReceiverResponse): void {
  const { promise: after, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  receiver.respondWith(() => {
    arrived += 1;
    if (arrived === 3) resolve();
    return arrived === 1 ? how : { ...how, after };
  });
}

/** webhooks, "Delivery": which attempts an endpoint gets, and when. */
describeUnless(opensslMissing, "the job of a webhook endpoint", () => {
  let sending: Sending;
  before(async () => {
    sending = await startSending();
  });
  after(() => sending[Symbol.asyncDispose]());

  /** On a busy machine one run of the job ends before all attempts have begun, and the next one continues. */
  async function runUntilReceived(ctx: Parameters<typeof runDue>[0], receiver: WebhookReceiver, count: number): Promise<void> {
    while (receiver.received.length < count) assert.ok(await runDue(ctx, sending.kind));
  }

  it("makes eight attempts with growing pauses, the same bytes and the same ID, and none after that", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, id, clock } = made;
    receiver.respondWith({ status: 500 });
    const pauses: number[] = [];
    for (;;) {
      assert.ok(await runDue(ctx, sending.kind));
      assert.ok(!(await runDue(ctx, sending.kind)), "no attempt is made before it is due");
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
    assert.equal(
      new Set(receiver.received.map(({ headers }) => headers["service-webhook-timestamp"])).size,
      8,
      "each attempt has its own signature",
    );
    const [row] = await deliveries(ctx, id);
    assert.deepEqual(
      [row?.status, row?.attempts, row?.response_status, row?.error],
      ["failed", 8, 500, "The endpoint responded with status 500."],
    );
    clock.nowMs += 30 * 86_400_000;
    assert.ok(!(await runDue(ctx, sending.kind)));
  });

  it("makes one attempt at a time after 20 failed attempts in a row, until one succeeds", async () => {
    await using made = await openPosting(sending, 40);
    const { ctx, receiver, id } = made;
    holdUntilTwoWait(receiver, { status: 503 });
    await runUntilReceived(ctx, receiver, 40);
    assert.equal(receiver.received.length, 40);
    assert.ok(receiver.mostAtOnce > 1 && receiver.mostAtOnce <= 10, `${receiver.mostAtOnce}`);
    assert.equal((await endpointRow(ctx, id)).failed_attempts, 40);
    await using alone = await startReceiver(sending.authority);
    alone.respondWith({ status: 503, afterMs: 20 });
    await ctx.db.updateTable("webhook_endpoints").set({ url: alone.url }).where("id", "=", id).execute();
    made.clock.nowMs += 13_000;
    await runUntilReceived(ctx, alone, 40);
    assert.equal(alone.received.length, 40);
    assert.equal(alone.mostAtOnce, 1);
    holdUntilTwoWait(alone, {});
    made.clock.nowMs += 40_000;
    await runUntilReceived(ctx, alone, 80);
    assert.ok(alone.mostAtOnce > 1, "parallel again");
    assert.ok((await deliveries(ctx, id)).every(({ status }) => status === "delivered"));
    assert.equal((await endpointRow(ctx, id)).failed_attempts, 0);
  });

  it("pauses the endpoint after five events whose last attempt failed, gives the reason, and sends again when it is resumed", async () => {
    await using made = await openPosting(sending, 6);
    const { ctx, receiver, id, ownerId, clock } = made;
    receiver.respondWith({ status: 410 });
    // Five deliveries have two attempts left; the sixth is due later.
    const [later] = (await deliveries(ctx, id)).slice(-1);
    assert.ok(later);
    await ctx.db.updateTable("webhook_deliveries").set({ failures: 6 }).execute();
    const laterMs = clock.nowMs + 86_400_000;
    await ctx.db.updateTable("webhook_deliveries").set({ next_attempt_at: laterMs }).where("id", "=", later.id).execute();
    await runDue(ctx, sending.kind);
    assert.equal((await endpointRow(ctx, id)).status, "active");
    clock.nowMs += 8 * 3_600_000;
    await runDue(ctx, sending.kind);
    const paused = await endpointRow(ctx, id);
    assert.equal(paused.status, "paused");
    assert.match(
      paused.paused_reason ?? "",
      /^5 events in a row failed after 8 attempts each\. Last error: The endpoint responded with status 410\.$/,
    );
    const before = receiver.received.length;
    clock.nowMs += 2 * 86_400_000;
    await happen(ctx, ownerId);
    assert.equal(await dispatchAll(ctx), 1, "an event of a paused endpoint waits");
    await ctx.transaction((ctx) => enqueueEndpointJob(ctx, id));
    await runDue(ctx, sending.kind);
    assert.equal(receiver.received.length, before, "nothing is sent to a paused endpoint");

    receiver.respondWith({ status: 200 });
    await ctx.db
      .updateTable("webhook_endpoints")
      .set({ status: "active", failed_events: 0, failed_attempts: 0 })
      .where("id", "=", id)
      .execute();
    await happen(ctx, ownerId);
    assert.equal(await dispatchAll(ctx), 1);
    await runDue(ctx, sending.kind);
    assert.equal(receiver.received.length, before + 3, "the new event, the one with attempts left, and the one that waited");
  });

  it("does not pause an endpoint when an event succeeds in between", async () => {
    await using made = await openPosting(sending, 4);
    const { ctx, receiver, id, ownerId, clock } = made;
    receiver.respondWith({ status: 500 });
    await ctx.db.updateTable("webhook_deliveries").set({ failures: 7 }).execute();
    await runDue(ctx, sending.kind);
    assert.equal((await endpointRow(ctx, id)).failed_events, 4);
    receiver.respondWith({});
    await happen(ctx, ownerId);
    await dispatchAll(ctx);
    await runDue(ctx, sending.kind);
    assert.equal((await endpointRow(ctx, id)).failed_events, 0);
    clock.nowMs += 1;
  });

  it("sends an event that happens while the endpoint's job ends", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, ownerId } = made;
    const job = await claim(ctx);
    assert.ok(job);
    receiver.respondWith({ afterMs: 50 });
    const run = sending.kind.run(ctx, job, new AbortController().signal);
    for (let n = 0; n < 20; n++) {
      await happen(ctx, ownerId);
      await dispatchAll(ctx);
    }
    await run;
    while (await runDue(ctx, sending.kind));
    assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, 21);
    assert.deepEqual(await listJobs(ctx), []);
  });

  it("finishes the running attempts on shutdown, starts no others, and leaves them due", async () => {
    await using made = await openPosting(sending, 30);
    const { ctx, receiver, id } = made;
    receiver.respondWith({ afterMs: 100 });
    const job = await claim(ctx);
    assert.ok(job);
    const stop = new AbortController();
    const run = sending.kind.run(ctx, job, stop.signal);
    receiver.respondWith(() => {
      stop.abort();
      return { afterMs: 100 };
    });
    await run;
    const rows = await deliveries(ctx, id);
    assert.equal(rows.filter(({ status }) => status === "delivered").length, 10);
    assert.equal(receiver.received.length, 10);
    assert.equal((await listJobs(ctx)).length, 1);
    assert.ok(await runDue(ctx, sending.kind));
    assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, 30);
  });

  it("sends nothing for a disabled account, and sends the waiting deliveries when it is enabled", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, id, ownerId, clock } = made;
    receiver.respondWith({ status: 500 });
    assert.ok(await runDue(ctx, sending.kind));
    await changeUser(ctx, THIS_MACHINE, { id: ownerId, isDisabled: true });
    receiver.respondWith({ status: 200 });
    clock.nowMs += 60_000;
    assert.ok(await runDue(ctx, sending.kind));
    assert.equal(receiver.received.length, 1);
    assert.ok(!(await runDue(ctx, sending.kind)));
    await changeUser(ctx, THIS_MACHINE, { id: ownerId, isDisabled: false });
    assert.ok(await runDue(ctx, sending.kind));
    assert.equal(receiver.received.length, 2);
    assert.deepEqual(
      (await deliveries(ctx, id)).map(({ status }) => status),
      ["delivered"],
    );
  });
});
