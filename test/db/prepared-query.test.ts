import assert from "node:assert/strict";
import { preparedQuery } from "../../src/db/prepared-query.ts";
import { testEach } from "./engines.ts";
import { countSettings, putSetting } from "./support.ts";

const findSetting = preparedQuery((db, p: { name: string }) => db.selectFrom("server_state").select("value").where("name", "=", p.name));
const listSettings = preparedQuery((db, p: { below: string; limit: number }) =>
  db.selectFrom("server_state").selectAll().where("name", "<", p.below).where("value", "<>", "fixed").orderBy("name").limit(p.limit),
);
const dropSetting = preparedQuery((db, p: { name: string }) => db.deleteFrom("server_state").where("name", "=", p.name).returning("value"));

testEach("a prepared query runs repeatedly with different parameters and the same constants", async (makeDatabase) => {
  await using database = await makeDatabase();
  for (const name of ["a", "b", "c"]) await putSetting(database.db, name, `value of ${name}`);
  await putSetting(database.db, "aa", "fixed");
  assert.deepEqual(await findSetting.first(database.db, { name: "a" }), { value: "value of a" });
  assert.deepEqual(await findSetting.first(database.db, { name: "b" }), { value: "value of b" });
  assert.equal(await findSetting.first(database.db, { name: "none" }), undefined);
  assert.deepEqual(
    (await listSettings.all(database.db, { below: "c", limit: 5 })).map(({ name }) => name),
    ["a", "b"],
  );
  assert.equal((await listSettings.all(database.db, { below: "z", limit: 1 })).length, 1);
});

testEach("a prepared query inside a transaction belongs to it; a prepared statement that writes uses the writer", async (makeDatabase) => {
  await using database = await makeDatabase();
  const written = Promise.withResolvers<void>();
  const outside = written.promise.then(() => findSetting.first(database.db, { name: "a" }));
  await assert.rejects(
    database.transaction(async (transaction) => {
      await putSetting(transaction, "a", "1");
      assert.deepEqual(await findSetting.first(transaction, { name: "a" }), { value: "1" });
      written.resolve();
      assert.equal(await outside, undefined);
      throw new Error("undo");
    }),
    /undo/,
  );
  await putSetting(database.db, "b", "2");
  assert.deepEqual(await dropSetting.first(database.db, { name: "b" }), { value: "2" });
  assert.equal(await countSettings(database.db), 0);
});

testEach("a prepared query that writes resolves to the number of rows", async (makeDatabase) => {
  await using database = await makeDatabase();
  const rename = preparedQuery((db, p: { from: string; to: string }) =>
    db.updateTable("server_state").set({ name: p.to }).where("name", "=", p.from),
  );
  await putSetting(database.db, "a", "1");
  assert.equal(await rename.run(database.db, { from: "a", to: "b" }), 1);
  assert.equal(await rename.run(database.db, { from: "a", to: "b" }), 0);
  assert.deepEqual(await findSetting.first(database.db, { name: "b" }), { value: "1" });
});

testEach("a builder that computes with a parameter throws", async (makeDatabase) => {
  await using database = await makeDatabase();
  const computing = preparedQuery((db, p: { age: number }) =>
    db
      .selectFrom("jobs")
      .selectAll()
      .where("run_at", "<", p.age - 5),
  );
  await assert.rejects(computing.all(database.db, { age: 1 }), /not compute/);
  await assert.rejects(computing.first(database.db, { age: 1 }), /not compute/);
});
