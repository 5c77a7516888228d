import assert from "node:assert/strict";
import { keptQuery } from "../../src/db/kept-query.ts";
import { testEach } from "./engines.ts";
import { countSettings, putSetting } from "./support.ts";

const findSetting = keptQuery((db, p: { name: string }) => db.selectFrom("settings").select("value").where("name", "=", p.name));
const listSettings = keptQuery((db, p: { below: string; limit: number }) =>
  db.selectFrom("settings").selectAll().where("name", "<", p.below).where("value", "<>", "fixed").orderBy("name").limit(p.limit),
);
const dropSetting = keptQuery((db, p: { name: string }) => db.deleteFrom("settings").where("name", "=", p.name).returning("value"));

testEach("runs again and again with other parameters, constants kept", async (makeDatabase) => {
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

testEach("inside a transaction it is part of it; a statement that writes goes through the writer", async (makeDatabase) => {
  await using database = await makeDatabase();
  await assert.rejects(
    database.transaction(async (tx) => {
      await putSetting(tx, "a", "1");
      assert.deepEqual(await findSetting.first(tx, { name: "a" }), { value: "1" });
      assert.equal(await findSetting.first(database.db, { name: "a" }), undefined);
      throw new Error("undo");
    }),
    /undo/,
  );
  await putSetting(database.db, "b", "2");
  assert.deepEqual(await dropSetting.first(database.db, { name: "b" }), { value: "2" });
  assert.equal(await countSettings(database.db), 0);
});

testEach("a builder that computes with a parameter throws", async (makeDatabase) => {
  await using database = await makeDatabase();
  const computing = keptQuery((db, p: { age: number }) =>
    db
      .selectFrom("jobs")
      .selectAll()
      .where("run_at", "<", p.age - 5),
  );
  await assert.rejects(computing.all(database.db, { age: 1 }), /not compute/);
  await assert.rejects(computing.first(database.db, { age: 1 }), /not compute/);
});
