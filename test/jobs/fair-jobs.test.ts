import assert from "node:assert/strict";
import type { Database, Db } from "../../src/db/database.ts";
import { hasIdleKeyWaiting, leaseFairJob } from "../../src/jobs/fair-jobs.ts";
import { LEASE_MS } from "../../src/jobs/instances.ts";
import { enqueueJob, finishJob, reclaimJobs, releaseJob } from "../../src/jobs/queue.ts";
import { testEach } from "../db/engines.ts";

const add = (db: Db, fairKey: string, subject: string, runAtMs: number, isLarge = false): Promise<void> =>
  enqueueJob(db, { id: subject, kind: "work", subject, runAtMs, nowMs: 0, fairKey, isLarge });

interface LeaseOptions {
  readonly nowMs: number;
  readonly holder?: string;
  readonly maxPerKey?: number;
  readonly isLarge?: boolean;
}

async function lease(
  database: Database,
  { nowMs, holder = "one", maxPerKey = 100, isLarge = false }: LeaseOptions,
): Promise<string | undefined> {
  const options = { kind: "work", isLarge, nowMs, holder, leaseMs: LEASE_MS, maxPerKey };
  return (await database.transaction((db) => leaseFairJob(db, options)))?.subject;
}

testEach("runs a key's only job before another key's backlog", async (_, location) => {
  await using database = await location.open();
  const { db } = database;
  for (let n = 0; n < 20; n++) await add(db, "many", `many-${n}`, n);
  assert.equal(await lease(database, { nowMs: 100 }), "many-0");
  await add(db, "few", "few-0", 50);
  assert.equal(await lease(database, { nowMs: 101 }), "few-0", "the key that has none running");
  await add(db, "late", "late-0", 60);
  assert.equal(await lease(database, { nowMs: 102, holder: "two" }), "late-0", "also of another server");
  assert.equal(await lease(database, { nowMs: 103 }), "many-1", "all have one running: the one that has waited longest");
});

testEach("keys alternate in one slot although one has waited longer", async (_, location) => {
  await using database = await location.open();
  const { db } = database;
  for (let n = 0; n < 5; n++) await add(db, "a", `a${n}`, n);
  for (let n = 0; n < 3; n++) await add(db, "b", `b${n}`, 50 + n);
  const order: (string | undefined)[] = [];
  for (let nowMs = 100; nowMs < 108; nowMs++) {
    const subject = await lease(database, { nowMs });
    order.push(subject);
    assert.equal(await finishJob(db, { id: subject ?? "", holder: "one" }), true);
  }
  assert.deepEqual(order, ["a0", "b0", "a1", "b1", "a2", "b2", "a3", "a4"]);
});

testEach("limits a key's slots per process, and counts only due jobs of the class", async (_, location) => {
  await using database = await location.open();
  const { db } = database;
  for (const subject of ["a0", "a1", "a2"]) await add(db, "a", subject, 0);
  await add(db, "b", "b0", 500);
  await add(db, "c", "c0", 0, true);
  const leased: (string | undefined)[] = [];
  for (let round = 0; round < 3; round++) leased.push(await lease(database, { nowMs: 100, maxPerKey: 2 }));
  assert.deepEqual(leased.map(Boolean), [true, true, false]);
  assert.equal(await lease(database, { nowMs: 100, maxPerKey: 2, isLarge: true }), "c0");
  assert.ok(await lease(database, { nowMs: 100, maxPerKey: 2, holder: "two" }), "another process has separate slots");
  assert.equal(await lease(database, { nowMs: 500 }), "b0", "now it is due");
  assert.ok(await lease(database, { nowMs: 101 + LEASE_MS }), "an expired lease");
});

testEach("hasIdleKeyWaiting is true if a key without a running job has a due one", async (_, location) => {
  await using database = await location.open();
  const { db } = database;
  const waits = (nowMs: number): Promise<boolean> => hasIdleKeyWaiting(db, { kind: "work", isLarge: false, nowMs });
  assert.equal(await waits(100), false);
  for (const subject of ["a0", "a1"]) await add(db, "a", subject, 0);
  assert.equal(await waits(100), true);
  await lease(database, { nowMs: 100 });
  assert.equal(await waits(100), false, "its second job waits for its own first");
  await add(db, "b", "b0", 200);
  assert.deepEqual([await waits(199), await waits(200)], [false, true]);
});

testEach("keeps a job_keys row as long as the key has jobs of the class", async (_, location) => {
  await using database = await location.open();
  const { db } = database;
  const keys = () => db.selectFrom("job_keys").select(["fair_key", "is_large"]).orderBy("fair_key").orderBy("is_large").execute();
  assert.deepEqual(await keys(), []);
  for (const subject of ["a0", "a1"]) await add(db, "a", subject, 0);
  await add(db, "a", "a2", 0, true);
  assert.equal((await keys()).length, 2);
  for (const nowMs of [100, 200]) await finishJob(db, { id: (await lease(database, { nowMs })) ?? "", holder: "one" });
  assert.deepEqual(await keys(), [{ fair_key: "a", is_large: 1 }]);
  await db.deleteFrom("jobs").execute();
  assert.deepEqual(await keys(), []);
});

testEach("a key whose job was deleted or postponed does not delay other keys", async (_, location) => {
  await using database = await location.open();
  const { db } = database;
  for (const key of ["a", "b", "c"]) {
    await add(db, key, `${key}-soon`, 0);
    await add(db, key, `${key}-late`, 900);
  }
  await add(db, "d", "d", 50);
  await db.deleteFrom("jobs").where("id", "in", ["a-soon", "b-soon"]).execute();
  assert.equal(await lease(database, { nowMs: 100 }), "c-soon");
  await releaseJob(db, { id: "c-soon", holder: "one", runAtMs: 800, nowMs: 100, error: null, countsAttempt: true });
  assert.equal(await lease(database, { nowMs: 101 }), "d");
  assert.equal(await lease(database, { nowMs: 102 }), undefined);
  assert.equal(await lease(database, { nowMs: 850 }), "c-soon", "when it is due again");
  assert.deepEqual([await lease(database, { nowMs: 901 }), await lease(database, { nowMs: 902 })], ["a-late", "b-late"]);
});

testEach("requeues a stopped instance's jobs behind keys that have waited longer", async (_, location) => {
  await using database = await location.open();
  const { db } = database;
  for (const subject of ["a0", "a1"]) await add(db, "a", subject, 0);
  assert.ok(await lease(database, { nowMs: 100 }));
  assert.ok(await lease(database, { nowMs: 101 }));
  await add(db, "b", "b0", 90);
  await reclaimJobs(db, ["two"]);
  assert.equal(await lease(database, { nowMs: 110, holder: "two" }), "b0");
  assert.ok(await lease(database, { nowMs: 111, holder: "two" }));
  assert.ok(await lease(database, { nowMs: 112, holder: "two" }));
});
