import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx, TransactionCtx } from "../../src/context.ts";
import { cacheUntilCommit } from "../../src/db/commit-cache.ts";
import { preparedQuery } from "../../src/db/prepared-query.ts";
import { AppError } from "../../src/errors.ts";
import { testEach } from "./engines.ts";
import { countSettings, countUp, putSetting, readCount } from "./support.ts";

const findSetting = preparedQuery((db, p: { name: string }) => db.selectFrom("server_state").select("value").where("name", "=", p.name));
const findCached = cacheUntilCommit((db, name: string) => findSetting.first(db, { name }));
const many = Array.from({ length: 60 }, (_, index) => index);

testEach(
  "concurrent transactions and statements of two connections lose no count",
  async (makeDatabase) => {
    await using one = await makeDatabase();
    await using other = await makeDatabase();
    await Promise.all(
      many.flatMap((index) => [
        (index % 2 ? one : other).transaction((transaction) => countUp(transaction, "o")),
        putSetting((index % 3 ? one : other).db, `${index}`),
      ]),
    );
    assert.equal(await readCount(one.db, "o"), many.length);
    assert.equal(await countSettings(other.db), many.length);
  },
  // On a file, that client refuses to commit during other statements. The server opens files without it.
  { except: "the client on a file" },
);

testEach("a transaction that throws rolls back only itself and rejects with the same error", async (makeDatabase) => {
  await using database = await makeDatabase();
  const own = new Error("mine");
  const outcomes = await Promise.allSettled(
    many.slice(0, 20).map((index) =>
      database.transaction(async (transaction) => {
        await putSetting(transaction, `a${index}`);
        if (index % 10 === 3) throw own;
        if (index % 10 === 7) await putSetting(transaction, `a${index}`);
        await putSetting(transaction, `b${index}`);
      }),
    ),
  );
  const failed = outcomes.flatMap((outcome, index) => (outcome.status === "rejected" ? [{ index, reason: outcome.reason }] : []));
  assert.deepEqual(
    failed.map(({ index }) => index),
    [3, 7, 13, 17],
  );
  assert.equal(failed[0]?.reason, own);
  assert.match(String(failed[1]?.reason), /UNIQUE/);
  assert.equal(await countSettings(database.db), 32);
});

testEach("a constraint violated by the first statement does not end the transaction", async (makeDatabase) => {
  await using database = await makeDatabase();
  await putSetting(database.db, "a");
  await database.transaction(async (transaction) => {
    await assert.rejects(putSetting(transaction, "a"), /UNIQUE/);
    await putSetting(transaction, "b");
  });
  assert.equal(await countSettings(database.db), 2);
});

testEach("commits an empty transaction and a read-only one", async (makeDatabase) => {
  await using database = await makeDatabase();
  assert.equal(await database.transaction(async () => 7), 7);
  assert.equal(await database.transaction((transaction) => countSettings(transaction)), 0);
});

testEach("a transaction's writes are visible to itself immediately and to others after the commit", async (makeDatabase) => {
  await using database = await makeDatabase();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: written, resolve: markWritten } = Promise.withResolvers<void>();
  const transaction = database.transaction(async (transaction) => {
    await putSetting(transaction, "a");
    assert.equal(await countSettings(transaction), 1);
    markWritten();
    await released;
  });
  await written;
  assert.equal(await countSettings(database.db), 0);
  release();
  await transaction;
  assert.equal(await countSettings(database.db), 1);
});

testEach("an ended transaction rejects further statements", async (makeDatabase) => {
  await using database = await makeDatabase();
  const leaked = await database.transaction(async (transaction) => {
    await putSetting(transaction, "in time");
    return { transaction };
  });
  await assert.rejects(putSetting(leaked.transaction, "late"));
  assert.equal(await countSettings(database.db), 1);
});

testEach(
  "using the outer database inside a transaction throws immediately, however it is used, and works again after it",
  async (makeDatabase) => {
    await using database = await makeDatabase();
    const { db } = database;
    const uses: Readonly<Record<string, () => Promise<unknown>>> = {
      "a read": () => countSettings(db),
      "a prepared read": () => findSetting.first(db, { name: "a" }),
      "a cached read": async () => findCached(db, "a"),
      "a write": () => putSetting(db, "outer"),
      "a transaction": () => database.transaction((transaction) => putSetting(transaction, "nested")),
    };
    const later = Promise.withResolvers<void>();
    const left = await database.transaction(async (transaction) => {
      for (const [name, use] of Object.entries(uses)) {
        await assert.rejects(use, /outer `db` was used inside a transaction/, name);
        await assert.rejects(Promise.all([countSettings(transaction), use()]), /outer/, `${name}, beside another`);
      }
      await putSetting(transaction, "a");
      return { work: later.promise.then(() => countSettings(db)) };
    });
    for (const use of Object.values(uses)) await use();
    later.resolve();
    assert.equal(await left.work, 3, "what a transaction left behind");
  },
);

testEach(
  "other callers can use the database during a transaction, and the transaction can use another database",
  async (makeDatabase, location) => {
    await using database = await makeDatabase();
    await using other = await location.open();
    const outside = Promise.withResolvers<void>();
    const read = outside.promise.then(() => countSettings(database.db));
    await database.transaction(async () => {
      outside.resolve();
      assert.equal(await read, 0);
      assert.equal(await countSettings(other.db), 0);
    });
  },
);

testEach("enforces foreign keys", async (makeDatabase) => {
  await using database = await makeDatabase();
  const orphan = { session_id: "none", part_number: 1, size_bytes: 1, sha256: "", etag: "" };
  await assert.rejects(database.db.insertInto("upload_parts").values(orphan).execute(), /FOREIGN KEY/);
});

testEach("closing waits for pending work, then rejects writes", async (makeDatabase) => {
  const database = await makeDatabase();
  const started = Promise.withResolvers<void>();
  const transaction = database.transaction(async (transaction) => {
    await putSetting(transaction, "a");
    started.resolve();
    await putSetting(transaction, "b");
  });
  await started.promise;
  await database[Symbol.asyncDispose]();
  await transaction;
  await assert.rejects(putSetting(database.db, "late"), (error) => error instanceof AppError && error.code === "UNAVAILABLE");
  await using again = await makeDatabase();
  assert.equal(await countSettings(again.db), 2);
});

test("the compiler refuses a context without a transaction where one is required", () => {
  const isAccepted: Ctx extends TransactionCtx ? true : false = false;
  assert.equal(isAccepted, false);
});
