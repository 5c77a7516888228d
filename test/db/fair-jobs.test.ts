import assert from "node:assert/strict";
import type { Db } from "../../src/db/database.ts";
import { claimFairJob, isNewcomerWaiting } from "../../src/db/fair-jobs.ts";
import { LEASE_MS } from "../../src/db/instances.ts";
import { enqueueJob, finishJob, releaseJob, releaseJobsOfTheDead } from "../../src/db/jobs.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { testEach } from "./engines.ts";

const add = (db: Db, fairKey: string, subject: string, runAtMs: number, isLarge = false): Promise<void> =>
  enqueueJob(db, { id: subject, kind: "work", subject, runAtMs, nowMs: 0, fairKey, isLarge });

interface Claim {
  readonly nowMs: number;
  readonly holder?: string;
  readonly maxPerKey?: number;
  readonly isLarge?: boolean;
}

async function claim(db: Db, { nowMs, holder = "one", maxPerKey = 100, isLarge = false }: Claim): Promise<string | undefined> {
  return (await claimFairJob(db, { kind: "work", isLarge, nowMs, holder, leaseMs: LEASE_MS, maxPerKey }))?.subject;
}

testEach("a key with one job comes before the backlog of another, whoever was first", async (_, place) => {
  await using database = await place.open();
  const { db } = database;
  for (let n = 0; n < 20; n++) await add(db, "many", `many-${n}`, n);
  assert.equal(await claim(db, { nowMs: 100 }), "many-0");
  await add(db, "few", "few-0", 50);
  assert.equal(await claim(db, { nowMs: 101 }), "few-0", "the key that has none running");
  await add(db, "late", "late-0", 60);
  assert.equal(await claim(db, { nowMs: 102, holder: "two" }), "late-0", "also of another server");
  assert.equal(await claim(db, { nowMs: 103 }), "many-1", "all have one running: the one that has waited longest");
});

testEach("with one slot, keys alternate although one has waited longer", async (_, place) => {
  await using database = await place.open();
  const { db } = database;
  for (let n = 0; n < 5; n++) await add(db, "a", `a${n}`, n);
  for (let n = 0; n < 3; n++) await add(db, "b", `b${n}`, 50 + n);
  const order: (string | undefined)[] = [];
  for (let nowMs = 100; nowMs < 108; nowMs++) {
    const subject = await claim(db, { nowMs });
    order.push(subject);
    assert.equal(await finishJob(db, { id: subject ?? "", holder: "one" }), true);
  }
  assert.deepEqual(order, ["a0", "b0", "a1", "b1", "a2", "b2", "a3", "a4"]);
});

testEach("a key has so many slots of a process at most, and only due jobs of the class count", async (_, place) => {
  await using database = await place.open();
  const { db } = database;
  for (const subject of ["a0", "a1", "a2"]) await add(db, "a", subject, 0);
  await add(db, "b", "b0", 500);
  await add(db, "c", "c0", 0, true);
  const claims: (string | undefined)[] = [];
  for (let round = 0; round < 3; round++) claims.push(await claim(db, { nowMs: 100, maxPerKey: 2 }));
  assert.deepEqual(claims.map(Boolean), [true, true, false]);
  assert.equal(await claim(db, { nowMs: 100, maxPerKey: 2, isLarge: true }), "c0");
  assert.ok(await claim(db, { nowMs: 100, maxPerKey: 2, holder: "two" }), "another process has slots of its own");
  assert.equal(await claim(db, { nowMs: 500 }), "b0", "now it is due");
  assert.ok(await claim(db, { nowMs: 101 + LEASE_MS }), "a lease that has lapsed");
});

testEach("a newcomer waits where a key without a running job has a due one", async (_, place) => {
  await using database = await place.open();
  const { db } = database;
  const waits = (nowMs: number): Promise<boolean> => isNewcomerWaiting(db, { kind: "work", isLarge: false, nowMs });
  assert.equal(await waits(100), false);
  for (const subject of ["a0", "a1"]) await add(db, "a", subject, 0);
  assert.equal(await waits(100), true);
  await claim(db, { nowMs: 100 });
  assert.equal(await waits(100), false, "its second job waits for its own first");
  await add(db, "b", "b0", 200);
  assert.deepEqual([await waits(199), await waits(200)], [false, true]);
});

testEach("a key has a row as long as it has jobs of the class", async (_, place) => {
  await using database = await place.open();
  const { db } = database;
  const keys = () => db.selectFrom("job_keys").select(["fair_key", "is_large"]).orderBy("fair_key").orderBy("is_large").execute();
  assert.deepEqual(await keys(), []);
  for (const subject of ["a0", "a1"]) await add(db, "a", subject, 0);
  await add(db, "a", "a2", 0, true);
  assert.equal((await keys()).length, 2);
  for (const nowMs of [100, 200]) await finishJob(db, { id: (await claim(db, { nowMs })) ?? "", holder: "one" });
  assert.deepEqual(await keys(), [{ fair_key: "a", is_large: 1 }]);
  await db.deleteFrom("jobs").execute();
  assert.deepEqual(await keys(), []);
});

testEach("a key whose waiting job was deleted, or is put back for later, does not delay the others", async (_, place) => {
  await using database = await place.open();
  const { db } = database;
  for (const key of ["a", "b", "c"]) {
    await add(db, key, `${key}-soon`, 0);
    await add(db, key, `${key}-late`, 900);
  }
  await add(db, "d", "d", 50);
  await db.deleteFrom("jobs").where("id", "in", ["a-soon", "b-soon"]).execute();
  assert.equal(await claim(db, { nowMs: 100 }), "c-soon");
  await releaseJob(db, { id: "c-soon", holder: "one", runAtMs: 800, error: null, keepAttempts: true });
  assert.equal(await claim(db, { nowMs: 101 }), "d");
  assert.equal(await claim(db, { nowMs: 102 }), undefined);
  assert.equal(await claim(db, { nowMs: 850 }), "c-soon", "when it is due again");
  assert.deepEqual([await claim(db, { nowMs: 901 }), await claim(db, { nowMs: 902 })], ["a-late", "b-late"]);
});

testEach("jobs of a server that has died wait again at once, behind keys that were not served since", async (_, place) => {
  await using database = await place.open();
  const { db } = database;
  for (const subject of ["a0", "a1"]) await add(db, "a", subject, 0);
  assert.ok(await claim(db, { nowMs: 100 }));
  assert.ok(await claim(db, { nowMs: 101 }));
  await add(db, "b", "b0", 90);
  await releaseJobsOfTheDead(db, ["two"]);
  assert.equal(await claim(db, { nowMs: 110, holder: "two" }), "b0");
  assert.ok(await claim(db, { nowMs: 111, holder: "two" }));
  assert.ok(await claim(db, { nowMs: 112, holder: "two" }));
});

testEach("an upgrade gives waiting jobs the key of their file's or their import's owner", async (_, place) => {
  const before = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === "0012-fair-jobs"),
  );
  const owners = { user: "user:1", four: "anon:4444", six: "anon:48:64" } as const;
  {
    await using old = await place.open({ migrations: before });
    const job = { run_at: 0, created_at: 0 };
    for (const [id, quota_owner] of Object.entries(owners)) {
      await old.db.insertInto("shares").values({ short_id: id, kind: "file", name: id, created_at: 0 }).execute();
      const file = {
        id,
        short_id: id,
        quota_owner,
        name: id,
        size_bytes: id === "six" ? 20_000_000 : 1,
        content_type: "a/b",
        blob_key: id,
      };
      await old.db
        .insertInto("files")
        .values({ ...file, blob_state: "stored", scan_status: "pending", created_at: 0 })
        .execute();
      await old.db
        .insertInto("jobs")
        .values({ ...job, id, kind: "scan", subject: id })
        .execute();
    }
    const times = { created_at: 0, updated_at: 0 };
    await old.db
      .insertInto("imports")
      .values({ id: "i", secret_hash: "", quota_owner: owners.six, url: "", publish: "{}", status: "queued", phase: "waiting", ...times })
      .execute();
    await old.db
      .insertInto("jobs")
      .values({ ...job, id: "i", kind: "import", subject: "i" })
      .execute();
  }
  await using database = await place.open();
  const jobs = await database.db.selectFrom("jobs").select(["subject", "fair_key", "is_large"]).orderBy("subject").execute();
  assert.deepEqual(
    jobs.map(({ subject, fair_key, is_large }) => [subject, fair_key, is_large]),
    [
      ["four", "anon:4444", 0],
      ["i", "anon:48:", 0],
      ["six", "anon:48:", 1],
      ["user", "user:1", 0],
    ],
  );
  const scan = { kind: "scan", nowMs: 100, holder: "one", leaseMs: LEASE_MS, maxPerKey: 9 };
  assert.ok(await claimFairJob(database.db, { ...scan, isLarge: false }), "they can be claimed");
  assert.equal((await claimFairJob(database.db, { ...scan, isLarge: true }))?.subject, "six");
});
