import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { type Connection, openConnection } from "../../src/db/connection.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import { openLocal } from "../../src/db/local.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { AppError } from "../../src/errors.ts";
import { until } from "../support/until.ts";
import { countSettings, countUp, makeDatabase, makeLocation, putSetting, readCount } from "./support.ts";

const many = Array.from({ length: 200 }, (_, index) => index);

test("the group commit commits 200 concurrent transactions in few commits without losing a count", async () => {
  const commits: number[] = [];
  await using database = await makeDatabase({ onCommit: (transactions) => commits.push(transactions) });
  await Promise.all(many.map(() => database.transaction((transaction) => countUp(transaction, "o"))));
  assert.equal(await readCount(database.db, "o"), 200);
  assert.equal(
    commits.reduce((sum, transactions) => sum + transactions, 0),
    200,
  );
  assert.ok(commits.length <= 100, `${commits.length} commits`);
});

test("the group commit keeps writing after an error in the function that is called after each commit", async () => {
  await using database = await makeDatabase({
    onCommit: () => {
      throw new Error("not written");
    },
  });
  for (const index of [1, 2, 3]) await putSetting(database.db, `${index}`);
  assert.equal(await countSettings(database.db), 3);
});

test("single statements share commits with transactions", async () => {
  const commits: number[] = [];
  await using database = await makeDatabase({ onCommit: (transactions) => commits.push(transactions) });
  await Promise.all(
    many.map((index) =>
      index % 2 ? putSetting(database.db, `${index}`) : database.transaction((transaction) => putSetting(transaction, `${index}`)),
    ),
  );
  assert.equal(await countSettings(database.db), 200);
  assert.ok(commits.length <= 100, `${commits.length} commits`);
});

test("a transaction that throws rolls back only itself, and rejects with the same error", async () => {
  await using database = await makeDatabase();
  const own = new Error("mine");
  const outcomes = await Promise.allSettled(
    many.slice(0, 30).map((index) =>
      database.transaction(async (transaction) => {
        await putSetting(transaction, `a${index}`);
        if (index % 10 === 3) throw own;
        if (index % 10 === 7) await putSetting(transaction, `a${index}`);
        await putSetting(transaction, `b${index}`);
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

test("a failed single statement rolls back only itself", async () => {
  await using database = await makeDatabase();
  const two = (first: string, second: string) =>
    database.db
      .insertInto("server_state")
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

test("a transaction's writes are visible to itself immediately and to others after the commit, and never delay reads", async () => {
  await using database = await makeDatabase();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: written, resolve: markWritten } = Promise.withResolvers<void>();
  let ended = false;
  const transaction = database
    .transaction(async (transaction) => {
      await putSetting(transaction, "a");
      assert.equal(await countSettings(transaction), 1);
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

test("a failed commit rolls back every transaction in it, and the next commit works", async () => {
  await using database = await makeDatabase();
  let survivors = 0;
  // On a busy machine a batch may end by time before its second transaction: the first is then kept.
  await until("both are in one batch", async () => {
    const outcomes = await Promise.allSettled([
      database.transaction((transaction) => putSetting(transaction, `neighbour ${survivors}`)),
      database.transaction(async (transaction) => {
        await sql`PRAGMA defer_foreign_keys = ON`.execute(transaction);
        await transaction.insertInto("file_lineage").values({ file_id: "none", upstream_id: "none" }).execute();
      }),
    ]);
    assert.equal(outcomes[1]?.status, "rejected");
    survivors += outcomes.filter(({ status }) => status === "fulfilled").length;
    assert.equal(await countSettings(database.db), survivors);
    if (outcomes[0]?.status === "fulfilled") return false;
    return outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason instanceof AppError && outcome.reason.code);
  }).then((codes) => assert.deepEqual(codes, ["UNAVAILABLE", "UNAVAILABLE"]));
  await database.transaction((transaction) => putSetting(transaction, "later"));
  assert.equal(await countSettings(database.db), survivors + 1);
});

test("an error that makes SQLite roll back rejects every transaction of the batch", async () => {
  await using database = await makeDatabase();
  await sql`CREATE TEMP TRIGGER undo BEFORE INSERT ON server_state WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ROLLBACK, 'undone'); END`.execute(
    database.db,
  );
  let survivors = 0;
  // On a busy machine a batch may end by time before its second transaction: those of the first are then kept.
  await until("both are in one batch", async () => {
    const outcomes = await Promise.allSettled(
      [`a ${survivors}`, "bad", `b ${survivors}`].map((name) => database.transaction((transaction) => putSetting(transaction, name))),
    );
    assert.equal(outcomes[1]?.status, "rejected");
    survivors += outcomes.filter(({ status }) => status === "fulfilled").length;
    assert.equal(await countSettings(database.db), survivors);
    return outcomes[0]?.status === "rejected";
  });
});

test("an ended transaction rejects further statements", async () => {
  await using database = await makeDatabase();
  const leaked = await database.transaction(async (transaction) => ({ transaction }));
  await assert.rejects(putSetting(leaked.transaction, "late"));
  assert.equal(await countSettings(database.db), 0);
});

test("the group commit rolls back a transaction that waits for a write which waits for it", async () => {
  await using location = await makeLocation();
  await using database = await openLocal({ path: location.path, migrations, transactionLimitMs: 2_000 });
  const late = Promise.withResolvers<unknown>();
  const started = Promise.withResolvers<void>();
  const outer = started.promise.then(() => putSetting(database.db, "outer"));
  const stuck = database.transaction(async (transaction) => {
    await putSetting(transaction, "inner");
    started.resolve();
    await outer;
    await putSetting(transaction, "after its time").catch(late.resolve);
  });
  await assert.rejects(stuck, /too long/);
  assert.match(String(await late.promise), /has ended/);
  const { rows } = await sql<{ name: string }>`SELECT name FROM server_state`.execute(database.db);
  assert.deepEqual(rows, [{ name: "outer" }]);
});

test("a transaction that continues after SQLite has rolled back writes nothing", async () => {
  await using database = await makeDatabase();
  await sql`CREATE TEMP TRIGGER undo BEFORE INSERT ON server_state WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ROLLBACK, 'undone'); END`.execute(
    database.db,
  );
  const stubborn = database.transaction(async (transaction) => {
    await putSetting(transaction, "bad").catch(() => {});
    await putSetting(transaction, "more").catch(() => {});
  });
  await assert.rejects(stubborn);
  assert.equal(await countSettings(database.db), 0);
});

test("the group commit waits for another connection's lock without blocking the event loop", async () => {
  await using database = await makeDatabase();
  const other = openConnection(database.location.path);
  other.exec("BEGIN IMMEDIATE");
  other.run("INSERT INTO server_state (name, value) VALUES ('theirs', '')");
  const connection = openConnection(database.location.path);
  let refusals = 0;
  const counting: Connection = {
    ...connection,
    get inTransaction() {
      return connection.inTransaction;
    },
    exec(statement) {
      try {
        connection.exec(statement);
      } catch (error) {
        refusals += 1;
        throw error;
      }
    },
  };
  const run = () => connection.run("INSERT INTO server_state (name, value) VALUES ('ours', '')");
  const ours = createGroupCommit({ connection: counting }).submit({ kind: "statement", run });
  await until("it has tried several times", () => refusals >= 3);
  assert.equal(await countSettings(database.db), 0);
  other.exec("COMMIT");
  await ours;
  other.close();
  connection.close();
  assert.equal(await countSettings(database.db), 2);
});
