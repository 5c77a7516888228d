import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openConnection } from "../../src/db/connection.ts";
import { openLocal } from "../../src/db/local.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { AppError } from "../../src/errors.ts";
import { countSettings, countUp, makeDatabase, makePlace, putSetting, readCount } from "./support.ts";

const many = Array.from({ length: 200 }, (_, index) => index);

test("200 transactions at once share few commits, and none loses a count", async () => {
  const commits: number[] = [];
  await using database = await makeDatabase({ onCommit: (transactions) => commits.push(transactions) });
  await Promise.all(many.map(() => database.transaction((tx) => countUp(tx, "o"))));
  assert.equal(await readCount(database.db, "o"), 200);
  assert.equal(
    commits.reduce((sum, transactions) => sum + transactions, 0),
    200,
  );
  assert.ok(commits.length <= 20, `${commits.length} commits`);
});

test("single statements share commits with transactions", async () => {
  const commits: number[] = [];
  await using database = await makeDatabase({ onCommit: (transactions) => commits.push(transactions) });
  await Promise.all(
    many.map((index) => (index % 2 ? putSetting(database.db, `${index}`) : database.transaction((tx) => putSetting(tx, `${index}`)))),
  );
  assert.equal(await countSettings(database.db), 200);
  assert.ok(commits.length <= 20, `${commits.length} commits`);
});

test("one that throws undoes itself alone, and throws on what it threw", async () => {
  await using database = await makeDatabase();
  const own = new Error("mine");
  const outcomes = await Promise.allSettled(
    many.slice(0, 30).map((index) =>
      database.transaction(async (tx) => {
        await putSetting(tx, `a${index}`);
        if (index % 10 === 3) throw own;
        if (index % 10 === 7) await putSetting(tx, `a${index}`);
        await putSetting(tx, `b${index}`);
      }),
    ),
  );
  const failed = outcomes.flatMap((outcome, index) => (outcome.status === "rejected" ? [[index, outcome.reason]] : []));
  assert.deepEqual(
    failed.map(([index]) => index),
    [3, 7, 13, 17, 23, 27],
  );
  assert.equal(failed[0]?.[1], own);
  assert.match(String(failed[1]?.[1]), /UNIQUE/);
  assert.equal(await countSettings(database.db), 48);
});

test("a single statement that fails undoes itself alone", async () => {
  await using database = await makeDatabase();
  const two = (first: string, second: string) =>
    database.db
      .insertInto("settings")
      .values([
        { name: first, value: "" },
        { name: second, value: "" },
      ])
      .execute();
  const outcomes = await Promise.allSettled([two("a", "b"), two("c", "a"), two("d", "e")]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.equal(await countSettings(database.db), 4);
});

test("what a transaction wrote is seen by itself at once, by others once it has ended, and reads never wait for it", async () => {
  await using database = await makeDatabase();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: written, resolve: markWritten } = Promise.withResolvers<void>();
  let ended = false;
  const transaction = database
    .transaction(async (tx) => {
      await putSetting(tx, "a");
      assert.equal(await countSettings(tx), 1);
      markWritten();
      await released;
    })
    .then(() => {
      ended = true;
    });
  await written;
  assert.equal(await countSettings(database.db), 0);
  assert.equal(ended, false);
  release();
  await transaction;
  assert.equal(await countSettings(database.db), 1);
});

test("a commit that fails undoes all that shared it, and the next one works", async () => {
  await using database = await makeDatabase();
  const outcomes = await Promise.allSettled([
    database.transaction((tx) => putSetting(tx, "neighbour")),
    database.transaction(async (tx) => {
      await sql`PRAGMA defer_foreign_keys = ON`.execute(tx);
      await tx.insertInto("file_lineage").values({ file_id: "none", upstream_id: "none" }).execute();
    }),
  ]);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason instanceof AppError && outcome.reason.code),
    ["UNAVAILABLE", "UNAVAILABLE"],
  );
  assert.equal(await countSettings(database.db), 0);
  await database.transaction((tx) => putSetting(tx, "later"));
  assert.equal(await countSettings(database.db), 1);
});

test("an error that makes SQLite undo everything rejects all that shared it", async () => {
  await using database = await makeDatabase();
  await sql`CREATE TEMP TRIGGER undo BEFORE INSERT ON settings WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ROLLBACK, 'undone'); END`.execute(
    database.db,
  );
  const outcomes = await Promise.allSettled(["a", "bad", "b"].map((name) => database.transaction((tx) => putSetting(tx, name))));
  assert.deepEqual(
    outcomes.slice(0, 2).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  const survivors = outcomes.filter(({ status }) => status === "fulfilled").length;
  assert.equal(await countSettings(database.db), survivors);
});

test("a transaction that is over takes no more statements", async () => {
  await using database = await makeDatabase();
  const leaked = await database.transaction(async (tx) => ({ tx }));
  await assert.rejects(putSetting(leaked.tx, "late"));
  assert.equal(await countSettings(database.db), 0);
});

test("a transaction that waits for itself, through the outer database, is undone after its time, and others go on", async () => {
  await using place = await makePlace();
  await using database = await openLocal({ path: place.path, migrations, transactionLimitMs: 50 });
  const late = Promise.withResolvers<unknown>();
  const stuck = database.transaction(async (tx) => {
    await putSetting(tx, "inner");
    await putSetting(database.db, "outer");
    await putSetting(tx, "after its time").catch(late.resolve);
  });
  await assert.rejects(stuck, /too long/);
  assert.match(String(await late.promise), /over/);
  const { rows } = await sql<{ name: string }>`SELECT name FROM settings`.execute(database.db);
  assert.deepEqual(rows, [{ name: "outer" }]);
});

test("after SQLite has undone everything, a transaction that goes on regardless writes nothing", async () => {
  await using database = await makeDatabase();
  await sql`CREATE TEMP TRIGGER undo BEFORE INSERT ON settings WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ROLLBACK, 'undone'); END`.execute(
    database.db,
  );
  const stubborn = database.transaction(async (tx) => {
    await putSetting(tx, "bad").catch(() => {});
    await putSetting(tx, "more").catch(() => {});
  });
  await assert.rejects(stubborn);
  assert.equal(await countSettings(database.db), 0);
});

test("waits for another connection's lock without holding the event loop up", async () => {
  await using database = await makeDatabase();
  const other = openConnection(database.place.path);
  other.exec("BEGIN IMMEDIATE");
  other.run("INSERT INTO settings (name, value) VALUES ('theirs', '')");
  const ours = database.transaction((tx) => putSetting(tx, "ours"));
  for (let ticks = 0; ticks < 20; ticks++) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(await countSettings(database.db), 0);
  other.exec("COMMIT");
  await ours;
  other.close();
  assert.equal(await countSettings(database.db), 2);
});
