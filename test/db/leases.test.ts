import assert from "node:assert/strict";
import { LEASE_MS } from "../../src/db/instances.ts";
import { claimJobs, enqueueJob, finishJob, releaseJobsOfTheDead, takeCronSlot } from "../../src/db/jobs.ts";
import { takeRate } from "../../src/db/rate-windows.ts";
import { testEach } from "./engines.ts";

const many = Array.from({ length: 40 }, (_, index) => index);

testEach("of all that want a slot of the clock, one gets it; an earlier slot nobody", async (makeDatabase) => {
  await using one = await makeDatabase();
  await using other = await makeDatabase();
  const take = (slotMs: number) => Promise.all(many.map((index) => takeCronSlot((index % 2 ? one : other).db, "cleanup", slotMs)));
  for (const slotMs of [1_000, 2_000, 3_000]) assert.equal((await take(slotMs)).filter(Boolean).length, 1);
  assert.equal((await take(2_000)).filter(Boolean).length, 0);
});

testEach(
  "each job is claimed once, finished by its holder alone, and free again when that one is dead or its lease over",
  async (makeDatabase) => {
    await using one = await makeDatabase();
    await using other = await makeDatabase();
    await Promise.all(many.map((index) => enqueueJob(one.db, { id: `${index}`, kind: "k", subject: `${index}`, runAtMs: 0, nowMs: 0 })));
    const claim = (holder: string, nowMs: number) =>
      claimJobs((holder === "a" ? one : other).db, { kind: "k", limit: 5, holder, nowMs, leaseMs: LEASE_MS });
    const claimed = (await Promise.all(many.map((index) => claim(index % 2 ? "a" : "b", 1)))).flat().map(({ id }) => id);
    assert.deepEqual(claimed.sort(), many.map(String).sort());
    assert.deepEqual(await claim("a", LEASE_MS), []);
    const [first] = await one.db.selectFrom("jobs").select("id").where("lease_holder", "=", "a").execute();
    assert.ok(first);
    assert.equal(await finishJob(other.db, { id: first.id, holder: "b" }), false);
    assert.equal(await finishJob(other.db, { id: first.id, holder: "a" }), true);
    await releaseJobsOfTheDead(other.db, ["b"]);
    assert.ok((await claim("b", 2)).length > 0);
    assert.equal((await claim("a", 1 + LEASE_MS)).length, 5);
  },
);

testEach("a rate is exact, however many count at once", async (makeDatabase) => {
  await using one = await makeDatabase();
  await using other = await makeDatabase();
  const use = { name: "challenges", subject: "s", rate: { limit: 7, windowMs: 1_000 }, nowMs: 1 } as const;
  const states = await Promise.all(many.map((index) => takeRate((index % 2 ? one : other).db, use)));
  assert.equal(states.filter(({ allowed }) => allowed).length, 7);
});
