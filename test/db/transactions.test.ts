import assert from "node:assert/strict";
import { AppError } from "../../src/errors.ts";
import { testEach } from "./engines.ts";
import { countSettings, countUp, putSetting, readCount } from "./support.ts";

const many = Array.from({ length: 60 }, (_, index) => index);

testEach(
  "transactions of two that have it open lose no count, single statements in between neither",
  async (makeDatabase) => {
    await using one = await makeDatabase();
    await using other = await makeDatabase();
    await Promise.all(
      many.flatMap((index) => [
        (index % 2 ? one : other).transaction((tx) => countUp(tx, "o")),
        putSetting((index % 3 ? one : other).db, `${index}`),
      ]),
    );
    assert.equal(await readCount(one.db, "o"), many.length);
    assert.equal(await countSettings(other.db), many.length);
  },
  // That client's file form refuses to commit beside other statements; no way leads to it in the program.
  { except: "the client on a file" },
);

testEach("a transaction that throws undoes itself alone, and throws on what it threw", async (makeDatabase) => {
  await using database = await makeDatabase();
  const own = new Error("mine");
  const outcomes = await Promise.allSettled(
    many.slice(0, 20).map((index) =>
      database.transaction(async (tx) => {
        await putSetting(tx, `a${index}`);
        if (index % 10 === 3) throw own;
        if (index % 10 === 7) await putSetting(tx, `a${index}`);
        await putSetting(tx, `b${index}`);
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

testEach("a rule broken by the first statement leaves the transaction to its work", async (makeDatabase) => {
  await using database = await makeDatabase();
  await putSetting(database.db, "a");
  await database.transaction(async (tx) => {
    await assert.rejects(putSetting(tx, "a"), /UNIQUE/);
    await putSetting(tx, "b");
  });
  assert.equal(await countSettings(database.db), 2);
});

testEach("an empty transaction, and one that reads alone", async (makeDatabase) => {
  await using database = await makeDatabase();
  assert.equal(await database.transaction(async () => 7), 7);
  assert.equal(await database.transaction((tx) => countSettings(tx)), 0);
});

testEach("what a transaction wrote is seen by itself at once, by others once it has ended", async (makeDatabase) => {
  await using database = await makeDatabase();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: written, resolve: markWritten } = Promise.withResolvers<void>();
  const transaction = database.transaction(async (tx) => {
    await putSetting(tx, "a");
    assert.equal(await countSettings(tx), 1);
    markWritten();
    await released;
  });
  await written;
  assert.equal(await countSettings(database.db), 0);
  release();
  await transaction;
  assert.equal(await countSettings(database.db), 1);
});

testEach("a transaction that is over takes no more statements", async (makeDatabase) => {
  await using database = await makeDatabase();
  const leaked = await database.transaction(async (tx) => {
    await putSetting(tx, "in time");
    return { tx };
  });
  await assert.rejects(putSetting(leaked.tx, "late"));
  assert.equal(await countSettings(database.db), 1);
});

testEach("references are held", async (makeDatabase) => {
  await using database = await makeDatabase();
  const orphan = { session_id: "none", part_number: 1, size_bytes: 1, sha256: "", etag: "" };
  await assert.rejects(database.db.insertInto("upload_parts").values(orphan).execute(), /FOREIGN KEY/);
});

testEach("closing waits for what is under way; after it, writes are refused", async (makeDatabase) => {
  const database = await makeDatabase();
  const started = Promise.withResolvers<void>();
  const transaction = database.transaction(async (tx) => {
    await putSetting(tx, "a");
    started.resolve();
    await putSetting(tx, "b");
  });
  await started.promise;
  await database[Symbol.asyncDispose]();
  await transaction;
  await assert.rejects(putSetting(database.db, "late"), (error) => error instanceof AppError && error.code === "UNAVAILABLE");
  await using again = await makeDatabase();
  assert.equal(await countSettings(again.db), 2);
});
