import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runCleanup } from "../../../src/service/maintenance/run-cleanup.ts";
import { insertDeliveries } from "../../../src/service/webhooks/delivery-queries.ts";
import { addEndpoint, addUser, deliveries, dispatchAll, happen, listJobs, openWorkshop } from "./support.ts";

const url = "https://hooks.example.org/";

/** webhooks, "Events" and "Delivery". */
describe("the outbox", () => {
  it("makes one delivery of each event for every subscribed endpoint of the file's owner, and marks all events", async () => {
    await using workshop = await openWorkshop();
    const { ctx } = workshop;
    const [mine, other] = [await addUser(ctx), await addUser(ctx)];
    const ready = await addEndpoint(ctx, { ownerId: mine, url });
    const both = await addEndpoint(ctx, { ownerId: mine, url, events: ["file.ready", "file.expired"] });
    const paused = await addEndpoint(ctx, { ownerId: mine, url });
    const foreign = await addEndpoint(ctx, { ownerId: other, url });
    await ctx.db.updateTable("webhook_endpoints").set({ status: "paused" }).where("id", "=", paused.id).execute();
    const happened = [await happen(ctx, mine), await happen(ctx, mine, "file.expired"), await happen(ctx, mine, "file.downloaded")];
    await happen(ctx, null);
    assert.equal(await dispatchAll(ctx), 4);
    assert.equal(await dispatchAll(ctx), 0);
    const ids = async (endpoint: { id: string }) => (await deliveries(ctx, endpoint.id)).map((row) => row.event_id);
    assert.deepEqual(await ids(ready), [happened[0]]);
    assert.deepEqual(new Set(await ids(both)), new Set([happened[0], happened[1]]));
    assert.deepEqual([await ids(paused), await ids(foreign)], [[happened[0]], []]);
    assert.deepEqual(new Set((await listJobs(ctx)).map((job) => job.subject)), new Set([ready.id, both.id]));
    const waiting = await ctx.db.selectFrom("events").select("id").where("dispatched_at", "is", null).execute();
    assert.deepEqual(waiting, []);
  });

  it("keeps the newest 10,000 deliveries of a paused endpoint, and deliveries that its owner requested", async () => {
    await using workshop = await openWorkshop();
    const { ctx, clock } = workshop;
    const ownerId = await addUser(ctx);
    const { id } = await addEndpoint(ctx, { ownerId, url });
    await ctx.db.updateTable("webhook_endpoints").set({ status: "paused" }).where("id", "=", id).execute();
    const waiting = Array.from({ length: 10_000 }, (_, n) => ({
      ...{ id: `d${n}`, endpointId: id, eventId: `e${n}`, type: "file.ready", body: "{}" },
      ...{ isManual: n === 0, nowMs: clock.nowMs + n },
    }));
    await insertDeliveries(ctx.db, waiting);
    clock.nowMs += 20_000;
    const happened = [await happen(ctx, ownerId), await happen(ctx, ownerId)];
    assert.equal(await dispatchAll(ctx), 2);
    const kept = new Set((await deliveries(ctx, id)).map((row) => row.event_id));
    assert.equal(kept.size, 10_000);
    for (const eventId of ["e0", "e3", "e9999", ...happened]) assert.ok(kept.has(eventId), eventId);
    assert.deepEqual(await listJobs(ctx), [], "no job is enqueued");
  });

  it("dispatches each event once when several dispatchers run concurrently", async () => {
    await using workshop = await openWorkshop();
    const { ctx } = workshop;
    const ownerId = await addUser(ctx);
    const { id } = await addEndpoint(ctx, { ownerId, url });
    const happened: string[] = [];
    for (let n = 0; n < 500; n++) happened.push(await happen(ctx, ownerId));
    const counts = await Promise.all([dispatchAll(ctx), dispatchAll(ctx), dispatchAll(ctx)]);
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      500,
    );
    assert.deepEqual((await deliveries(ctx, id)).map((row) => row.event_id).sort(), happened.sort());
  });

  it("marks an event without an owner as dispatched immediately", async () => {
    await using workshop = await openWorkshop();
    const { ctx } = workshop;
    const id = await happen(ctx, null);
    const row = await ctx.db.selectFrom("events").select("dispatched_at").where("id", "=", id).executeTakeFirst();
    assert.equal(row?.dispatched_at, ctx.now());
  });

  it("makes no delivery for a disabled account", async () => {
    await using workshop = await openWorkshop();
    const { ctx } = workshop;
    const ownerId = await addUser(ctx);
    await addEndpoint(ctx, { ownerId, url });
    await ctx.db.updateTable("users").set({ disabled_at: ctx.now() }).where("id", "=", ownerId).execute();
    await happen(ctx, ownerId);
    assert.equal(await dispatchAll(ctx), 0);
  });

  it("removes deliveries that are older than 30 days", async () => {
    await using workshop = await openWorkshop();
    const { ctx, clock } = workshop;
    const ownerId = await addUser(ctx);
    const { id } = await addEndpoint(ctx, { ownerId, url });
    await happen(ctx, ownerId);
    await dispatchAll(ctx);
    clock.nowMs += 29 * 86_400_000;
    const kept = await happen(ctx, ownerId);
    await dispatchAll(ctx);
    await runCleanup(ctx, { orphans: "none" });
    assert.equal((await deliveries(ctx, id)).length, 2);
    clock.nowMs += 2 * 86_400_000;
    await runCleanup(ctx, { orphans: "none" });
    assert.deepEqual(
      (await deliveries(ctx, id)).map((row) => row.event_id),
      [kept],
    );
  });
});
