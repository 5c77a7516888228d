import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { cacheUntilCommit } from "../../src/db/commit-cache.ts";
import type { Db } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open.ts";
import { testEach } from "./engines.ts";
import { countUp, makeDatabase, readCount } from "./support.ts";

/** A cached query of counts, and the number of its database reads. */
function keepCounts() {
  const asked: string[] = [];
  const find = cacheUntilCommit(async (db: Db, owner: string) => {
    asked.push(owner);
    const count = await readCount(db, owner);
    return count === undefined ? undefined : { count };
  });
  return { asked, find: async (db: Db, owner: string) => (await find(db, owner))?.count };
}

describe("a cached row", () => {
  test("is read once until the next commit; a missing row is read each time", async () => {
    await using database = await makeDatabase();
    const { asked, find } = keepCounts();
    await database.transaction((transaction) => countUp(transaction, "one"));
    for (let times = 0; times < 5; times++) assert.equal(await find(database.db, "one"), 1);
    assert.deepEqual(asked, ["one"]);
    assert.equal(await find(database.db, "two"), undefined);
    assert.equal(await find(database.db, "two"), undefined);
    assert.deepEqual(asked, ["one", "two", "two"]);
    await database.transaction((transaction) => countUp(transaction, "two"));
    assert.deepEqual([await find(database.db, "one"), await find(database.db, "two")], [1, 1]);
    assert.equal(asked.length, 5);
  });

  test("is current after each commit of this process, with concurrent readers", async () => {
    await using database = await makeDatabase();
    const { find } = keepCounts();
    for (let count = 1; count <= 50; count++) {
      const committed = database.transaction((transaction) => countUp(transaction, "one"));
      await Promise.all([1, 2, 3].map(() => find(database.db, "one")));
      await committed;
      assert.equal(await find(database.db, "one"), count);
    }
  });

  test("is current after a commit by another process or connection", async () => {
    await using database = await makeDatabase();
    const { asked, find } = keepCounts();
    assert.equal(await find(database.db, "shared"), undefined);
    const script = fileURLToPath(new URL("./count-up.child.ts", import.meta.url));
    const flags = "Deno" in globalThis ? ["run", "-A"] : [];
    const child = spawn(process.execPath, [...flags, script, database.location.url, "3"], { stdio: ["pipe", "pipe", "inherit"] });
    await once(child.stdout, "data");
    for (let times = 0; times < 2; times++) assert.equal(await find(database.db, "shared"), 3);
    assert.equal(asked.length, 2);
    child.stdin.write("hold\n");
    await once(child.stdout, "data");
    assert.equal(await find(database.db, "shared"), 3, "what is not committed is not there");
    child.stdin.write("go on\n");
    await once(child, "exit");
    assert.equal(await find(database.db, "shared"), 4);
    await using other = await openDatabase({ url: database.location.url });
    for (let count = 5; count <= 30; count++) {
      await other.transaction((transaction) => countUp(transaction, "shared"));
      assert.equal(await find(database.db, "shared"), count);
    }
  });

  test("is dropped when there are too many", async () => {
    await using database = await makeDatabase();
    const { asked, find } = keepCounts();
    const owners = Array.from({ length: 2_001 }, (_, index) => `owner ${index}`);
    await database.transaction(async (transaction) => {
      await transaction
        .insertInto("quotas")
        .values(owners.map((owner) => ({ owner, used_bytes: 1 })))
        .execute();
    });
    for (const owner of owners) await find(database.db, owner);
    assert.equal(await find(database.db, "owner 2000"), 1);
    assert.equal(asked.length, 2_001);
    assert.equal(await find(database.db, "owner 0"), 1);
    assert.equal(asked.length, 2_002);
  });
});

testEach("a transaction reads its own writes, which are stored after the commit", async (makeDatabase) => {
  await using database = await makeDatabase();
  const { find } = keepCounts();
  assert.equal(await find(database.db, "one"), undefined);
  await database.transaction(async (transaction) => {
    await countUp(transaction, "one");
    assert.equal(await find(transaction, "one"), 1);
    await countUp(transaction, "one");
    assert.equal(await find(transaction, "one"), 2);
  });
  assert.equal(await find(database.db, "one"), 2);
});
