import assert from "node:assert/strict";
import { test } from "node:test";
import { keptQuery } from "../../src/db/kept-query.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { openRemote } from "../../src/db/remote.ts";
import { countSettings, makePlace, putSetting } from "./support.ts";

// The client of remote servers opens files too: the same code of ours, without the network.
async function makeRemote() {
  const place = await makePlace();
  const options = { url: `file:${place.folder}/remote.db`, migrations };
  const database = await openRemote(options);
  return { place, options, ...database };
}

test("migrates once, reads, writes and answers ping", async () => {
  await using remote = await makeRemote();
  await using _place = remote.place;
  await remote.ping();
  const used_bytes = Number.MAX_SAFE_INTEGER;
  const [row] = await remote.db.insertInto("quotas").values({ owner: "o", used_bytes }).returningAll().execute();
  assert.deepEqual(row, { owner: "o", used_bytes, reserved_bytes: 0 });
  const updated = await remote.db.updateTable("quotas").set({ used_bytes: 1 }).executeTakeFirst();
  assert.equal(updated.numUpdatedRows, 1n);
  const names: string[] = [];
  await using _again = await openRemote({ ...remote.options, onMigrated: (applied) => names.push(...applied) });
  assert.deepEqual(names, []);
});

test("a transaction is whole or not at all", async () => {
  await using remote = await makeRemote();
  await using _place = remote.place;
  await remote.transaction((tx) => putSetting(tx, "a"));
  const own = new Error("mine");
  await assert.rejects(
    remote.transaction(async (tx) => {
      await putSetting(tx, "b");
      assert.equal(await countSettings(tx), 2);
      throw own;
    }),
    (error) => error === own,
  );
  await assert.rejects(
    remote.transaction(async (tx) => {
      await putSetting(tx, "c");
      await putSetting(tx, "a");
    }),
    /UNIQUE/,
  );
  assert.equal(await countSettings(remote.db), 1);
});

test("kept queries run on it, inside a transaction too", async () => {
  const find = keptQuery((db, p: { name: string }) => db.selectFrom("settings").select("value").where("name", "=", p.name));
  await using remote = await makeRemote();
  await using _place = remote.place;
  await putSetting(remote.db, "a", "1");
  assert.deepEqual(await find.first(remote.db, { name: "a" }), { value: "1" });
  assert.deepEqual(await remote.transaction((tx) => find.all(tx, { name: "a" })), [{ value: "1" }]);
});

test("refuses a database that a newer version has used", async () => {
  await using remote = await makeRemote();
  await using _place = remote.place;
  await assert.rejects(openRemote({ ...remote.options, migrations: [] }), /newer version/);
});
