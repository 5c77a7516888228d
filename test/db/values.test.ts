import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Db } from "../../src/db/database.ts";
import { testEach } from "./engines.ts";
import { putSetting } from "./support.ts";

testEach("returns sizes up to 2^53 exactly", async (makeDatabase) => {
  await using database = await makeDatabase();
  const used_bytes = Number.MAX_SAFE_INTEGER;
  await database.db.insertInto("quotas").values({ owner: "o", used_bytes }).execute();
  const row = await database.db.selectFrom("quotas").selectAll().executeTakeFirst();
  assert.deepEqual(row, { owner: "o", used_bytes, reserved_bytes: 0, file_count: 0 });
});

testEach("parameters keep their types", async (makeDatabase) => {
  await using database = await makeDatabase();
  const typeOf = async (value: unknown) => {
    const { rows } = await sql<{ type: string; value: unknown }>`SELECT typeof(${value}) AS type, ${value} AS value`.execute(database.db);
    return [rows[0]?.type, rows[0]?.value];
  };
  assert.deepEqual(await typeOf(7), ["integer", 7]);
  assert.deepEqual(await typeOf(1.5), ["real", 1.5]);
  assert.deepEqual(await typeOf(true), ["integer", 1]);
  assert.deepEqual(await typeOf(false), ["integer", 0]);
  assert.deepEqual(await typeOf(null), ["null", null]);
  assert.deepEqual(await typeOf("ü\n'"), ["text", "ü\n'"]);
  for (const value of [undefined, new Date(0), Number.NaN, [1], {}, () => 1, Symbol("s")]) {
    await assert.rejects(typeOf(value), TypeError, String(typeof value));
  }
});

testEach("stores a whole number in a text column without a decimal point", async (makeDatabase) => {
  await using database = await makeDatabase();
  await sql`INSERT INTO server_state (name, value) VALUES ('n', ${5})`.execute(database.db);
  assert.equal((await database.db.selectFrom("server_state").select("value").executeTakeFirst())?.value, "5");
});

const bumpAll = (db: Db) => db.updateTable("server_state").set({ value: "new" });

testEach("RETURNING returns rows, and the number of affected rows is correct", async (makeDatabase) => {
  await using database = await makeDatabase();
  const inserted = await database.db
    .insertInto("server_state")
    .values([
      { name: "a", value: "1" },
      { name: "b", value: "2" },
    ])
    .returning(["name"])
    .execute();
  assert.deepEqual(inserted, [{ name: "a" }, { name: "b" }]);
  assert.equal((await bumpAll(database.db).executeTakeFirst()).numUpdatedRows, 2n);
  assert.equal((await bumpAll(database.db).where("name", "=", "none").executeTakeFirst()).numUpdatedRows, 0n);
  assert.equal((await database.db.deleteFrom("server_state").where("name", "=", "a").executeTakeFirst()).numDeletedRows, 1n);
});

testEach("runs more different statements than the cache holds", async (makeDatabase) => {
  await using database = await makeDatabase();
  await putSetting(database.db, "a", "x");
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 1200; index++) {
      const { rows } = await sql<{ n: number }>`SELECT ${sql.raw(String(index))} AS n, value FROM server_state`.execute(database.db);
      assert.equal(rows[0]?.n, index);
    }
  }
});

testEach("a prepared `select *` returns a column that another connection has added", async (makeDatabase) => {
  await using database = await makeDatabase();
  await putSetting(database.db, "a", "x");
  const read = () => database.db.selectFrom("server_state").selectAll().executeTakeFirst();
  assert.deepEqual(await read(), { name: "a", value: "x" });
  await sql`ALTER TABLE server_state ADD COLUMN extra TEXT DEFAULT 'e'`.execute(database.db);
  assert.deepEqual(await read(), { name: "a", value: "x", extra: "e" });
});
