import assert from "node:assert/strict";
import { LEASE_MS } from "../../src/jobs/instances.ts";
import { acquireScheduleRun, enqueueJob, finishJob, leaseJobs, reclaimJobs } from "../../src/jobs/queue.ts";
import { testEach } from "../db/engines.ts";

const many = Array.from({ length: 40 }, (_, index) => index);

testEach("one of many calls acquires a scheduled run; an earlier one is refused", async (makeDatabase) => {
  await using one = await makeDatabase();
  await using other = await makeDatabase();
  const acquire = (scheduledAtMs: number) =>
    Promise.all(many.map((index) => acquireScheduleRun((index % 2 ? one : other).db, "cleanup", scheduledAtMs)));
  for (const scheduledAtMs of [1_000, 2_000, 3_000]) assert.equal((await acquire(scheduledAtMs)).filter(Boolean).length, 1);
  assert.equal((await acquire(2_000)).filter(Boolean).length, 0);
});

testEach(
  "a job is leased once, finished only by its holder, and released when the holder has stopped or its lease has expired",
  async (makeDatabase) => {
    await using one = await makeDatabase();
    await using other = await makeDatabase();
    await Promise.all(many.map((index) => enqueueJob(one.db, { id: `${index}`, kind: "k", subject: `${index}`, runAtMs: 0, nowMs: 0 })));
    const lease = (holder: string, nowMs: number) =>
      leaseJobs((holder === "a" ? one : other).db, { kind: "k", limit: 5, holder, nowMs, leaseMs: LEASE_MS });
    const leased = (await Promise.all(many.map((index) => lease(index % 2 ? "a" : "b", 1)))).flat().map(({ id }) => id);
    assert.deepEqual(leased.sort(), many.map(String).sort());
    assert.deepEqual(await lease("a", LEASE_MS), []);
    const [first] = await one.db.selectFrom("jobs").select("id").where("lease_holder", "=", "a").execute();
    assert.ok(first);
    assert.equal(await finishJob(other.db, { id: first.id, holder: "b" }), false);
    assert.equal(await finishJob(other.db, { id: first.id, holder: "a" }), true);
    await reclaimJobs(other.db, ["b"]);
    assert.ok((await lease("b", 2)).length > 0);
    assert.equal((await lease("a", 1 + LEASE_MS)).length, 5);
  },
);
