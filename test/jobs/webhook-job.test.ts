import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { enqueueEndpoint } from "../../src/events/enqueue-endpoint.ts";
import { disableUser, enableUser } from "../../src/operations/admin/change-user.ts";
import { opensslMissing, startReceiver } from "../support/webhook-receiver.ts";
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
} from "./webhook-support.ts";

/** interface, "Events"; decisions, "Webhooks": which attempts an endpoint gets, and when. */
describe("Delivering webhooks", { skip: opensslMissing ?? false }, () => {
  let sending: Sending;
  before(async () => {
    sending = await startSending();
  });
  after(() => sending[Symbol.asyncDispose]());

  it("tries eight times with growing pauses, the same bytes under the same id each time, and then never again", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, id, clock } = made;
    receiver.answer({ status: 500 });
    const pauses: number[] = [];
    for (;;) {
      assert.ok(await runDue(ctx, sending.kind));
      assert.ok(!(await runDue(ctx, sending.kind)), "not before its time");
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
    assert.ok(!(await runDue(ctx, sending.kind)));
  });

  it("after 20 failed attempts in a row makes one attempt at a time, until one succeeds", async () => {
    await using made = await openPosting(sending, 40);
    const { ctx, receiver, id } = made;
    receiver.answer({ status: 503, afterMs: 20 });
    await runDue(ctx, sending.kind);
    assert.equal(receiver.received.length, 40);
    assert.ok(receiver.mostAtOnce > 1 && receiver.mostAtOnce <= 10, `${receiver.mostAtOnce}`);
    assert.equal((await endpointRow(ctx, id)).failed_attempts, 40);
    await using alone = await startReceiver(sending.authority);
    alone.answer({ status: 503, afterMs: 20 });
    await ctx.db.updateTable("webhook_endpoints").set({ url: alone.url }).where("id", "=", id).execute();
    made.clock.nowMs += 13_000;
    await runDue(ctx, sending.kind);
    assert.equal(alone.received.length, 40);
    assert.equal(alone.mostAtOnce, 1);
    alone.answer({ afterMs: 20 });
    made.clock.nowMs += 40_000;
    await runDue(ctx, sending.kind);
    assert.ok(alone.mostAtOnce > 1, "parallel again");
    assert.ok((await deliveries(ctx, id)).every(({ status }) => status === "delivered"));
    assert.equal((await endpointRow(ctx, id)).failed_attempts, 0);
  });

  it("pauses after five events that failed for good, says why, and resumes when enabled", async () => {
    await using made = await openPosting(sending, 6);
    const { ctx, receiver, id, ownerId, clock } = made;
    receiver.answer({ status: 410 });
    // Five have two attempts left; the sixth is on its way for longer.
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
    assert.match(paused.paused_reason ?? "", /^5 events in a row .* eight attempts each\. The last one: The receiver answered 410\.$/);
    const before = receiver.received.length;
    clock.nowMs += 2 * 86_400_000;
    await happen(ctx, ownerId);
    assert.equal(await dispatchAll(ctx), 1, "what happens meanwhile waits");
    await ctx.tx((ctx) => enqueueEndpoint(ctx, id));
    await runDue(ctx, sending.kind);
    assert.equal(receiver.received.length, before, "nothing is sent to a paused endpoint");

    receiver.answer({ status: 200 });
    await ctx.db
      .updateTable("webhook_endpoints")
      .set({ status: "active", failed_events: 0, failed_attempts: 0 })
      .where("id", "=", id)
      .execute();
    await happen(ctx, ownerId);
    assert.equal(await dispatchAll(ctx), 1);
    await runDue(ctx, sending.kind);
    assert.equal(receiver.received.length, before + 3, "the new event, the one that was still on its way, and the one that has waited");
  });

  it("a success in between keeps an endpoint from being paused", async () => {
    await using made = await openPosting(sending, 4);
    const { ctx, receiver, id, ownerId, clock } = made;
    receiver.answer({ status: 500 });
    await ctx.db.updateTable("webhook_deliveries").set({ failures: 7 }).execute();
    await runDue(ctx, sending.kind);
    assert.equal((await endpointRow(ctx, id)).failed_events, 4);
    receiver.answer({});
    await happen(ctx, ownerId);
    await dispatchAll(ctx);
    await runDue(ctx, sending.kind);
    assert.equal((await endpointRow(ctx, id)).failed_events, 0);
    clock.nowMs += 1;
  });

  it("an event that happens while its endpoint's job ends is not forgotten", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, ownerId } = made;
    const job = await claim(ctx);
    assert.ok(job);
    receiver.answer({ afterMs: 50 });
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

  it("told to stop, it finishes what is under way, begins nothing, and leaves the rest due", async () => {
    await using made = await openPosting(sending, 30);
    const { ctx, receiver, id } = made;
    receiver.answer({ afterMs: 100 });
    const job = await claim(ctx);
    assert.ok(job);
    const stop = new AbortController();
    const run = sending.kind.run(ctx, job, stop.signal);
    receiver.answer(() => {
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

  it("sends nothing for an account that is disabled, and goes on with what has waited when it is enabled", async () => {
    await using made = await openPosting(sending);
    const { ctx, receiver, id, ownerId, clock } = made;
    receiver.answer({ status: 500 });
    assert.ok(await runDue(ctx, sending.kind));
    await disableUser(ctx, ownerId);
    receiver.answer({ status: 200 });
    clock.nowMs += 60_000;
    assert.ok(await runDue(ctx, sending.kind));
    assert.equal(receiver.received.length, 1);
    assert.ok(!(await runDue(ctx, sending.kind)));
    await enableUser(ctx, ownerId);
    assert.ok(await runDue(ctx, sending.kind));
    assert.equal(receiver.received.length, 2);
    assert.deepEqual(
      (await deliveries(ctx, id)).map(({ status }) => status),
      ["delivered"],
    );
  });
});
