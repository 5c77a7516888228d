import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import type { Migration } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { openDatabase } from "../../src/db/open.ts";
import { countSettings, makeLocation, putSetting } from "./support.ts";

const added: Migration = {
  name: "9998-added",
  statements: ["CREATE TABLE added (x TEXT)", "ALTER TABLE server_state ADD COLUMN note TEXT"],
};

async function listCopies(path: string): Promise<string[]> {
  return (await readdir(dirname(path))).filter((name) => name.includes("before") || name.includes("partial"));
}

test("an upgrade first copies the file, readable only by its owner", async () => {
  await using location = await makeLocation();
  {
    await using database = await openDatabase({ url: location.url });
    await putSetting(database.db, "a");
  }
  assert.deepEqual(await listCopies(location.path), []);
  await using upgraded = await openDatabase({ url: location.url, migrations: [...migrations, added] });
  await putSetting(upgraded.db, "b");
  assert.deepEqual(await listCopies(location.path), ["filehost.db.before-9998-added"]);
  const copy = `${location.path}.before-9998-added`;
  assert.equal((await stat(copy)).mode & 0o777, 0o600);
  await using old = await openDatabase({ url: `file:${copy}` });
  assert.equal(await countSettings(old.db), 1);
});
