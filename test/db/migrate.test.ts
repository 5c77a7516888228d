import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import type { Migration } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { openDatabase } from "../../src/db/open.ts";
import { AppError } from "../../src/errors.ts";
import { countSettings, makePlace, putSetting } from "./support.ts";

const added: Migration = { name: "9998-added", statements: ["CREATE TABLE added (x TEXT)", "ALTER TABLE settings ADD COLUMN note TEXT"] };
const failing: Migration = { name: "9999-failing", statements: ["CREATE TABLE half (x TEXT)", "INSERT INTO nowhere VALUES (1)"] };
const rebuilding: Migration = {
  name: "9999-rebuilding",
  statements: [
    "CREATE TABLE users_new AS SELECT * FROM users",
    "DROP TABLE users",
    "CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT, email TEXT, created_at INTEGER, updated_at INTEGER)",
    "INSERT INTO users SELECT id, name, email, created_at, updated_at FROM users_new",
    "DROP TABLE users_new",
  ],
};

async function listCopies(path: string): Promise<string[]> {
  return (await readdir(dirname(path))).filter((name) => name.includes("before") || name.includes("partial"));
}

test("an upgrade keeps a copy of the file as it was before, for its owner alone", async () => {
  await using place = await makePlace();
  {
    await using database = await openDatabase({ url: place.url });
    await putSetting(database.db, "a");
  }
  assert.deepEqual(await listCopies(place.path), []);
  await using upgraded = await openDatabase({ url: place.url, migrations: [...migrations, added] });
  await putSetting(upgraded.db, "b");
  assert.deepEqual(await listCopies(place.path), ["filehost.db.before-9998-added"]);
  const copy = `${place.path}.before-9998-added`;
  assert.equal((await stat(copy)).mode & 0o777, 0o600);
  await using old = await openDatabase({ url: `file:${copy}` });
  assert.equal(await countSettings(old.db), 1);
});

test("a database that a newer version has used is refused, untouched", async () => {
  await using place = await makePlace();
  {
    await using _newer = await openDatabase({ url: place.url, migrations: [...migrations, added] });
  }
  await assert.rejects(
    openDatabase({ url: place.url }),
    (error) => error instanceof AppError && /9998-added.*newer version/s.test(error.message),
  );
  await using _newer = await openDatabase({ url: place.url, migrations: [...migrations, added] });
});

test("an upgrade that fails changes nothing, whichever of its steps it was", async () => {
  await using place = await makePlace();
  {
    await using _database = await openDatabase({ url: place.url });
  }
  await assert.rejects(openDatabase({ url: place.url, migrations: [...migrations, added, failing] }), /9999-failing failed/);
  await using database = await openDatabase({ url: place.url });
  const { rows } = await sql`SELECT name FROM sqlite_master WHERE name IN ('added', 'half')`.execute(database.db);
  assert.deepEqual(rows, []);
});

test("making a table anew deletes nothing that refers to it, and a dangling reference fails the upgrade", async () => {
  await using place = await makePlace();
  const user = { id: "u", name: "U", email: "u@example.org", created_at: 0, updated_at: 0 };
  {
    await using database = await openDatabase({ url: place.url });
    await database.db.insertInto("users").values(user).execute();
    await database.db
      .insertInto("folders")
      .values({ id: "f", owner_id: "u", parent_id: null, name: "n", created_at: 0, updated_at: 0 })
      .execute();
  }
  const losing: Migration = { name: "9999-losing", statements: ["DELETE FROM users"] };
  await assert.rejects(openDatabase({ url: place.url, migrations: [...migrations, losing] }), /references/);
  await using database = await openDatabase({ url: place.url, migrations: [...migrations, rebuilding] });
  assert.equal((await database.db.selectFrom("folders").select("id").execute()).length, 1);
});

test("several that start at once apply each migration once", async () => {
  await using place = await makePlace();
  const applied: object[] = [];
  const log = { info: (fields: object) => void applied.push(fields) };
  const opened = await Promise.all([1, 2, 3, 4].map(() => openDatabase({ url: place.url, log })));
  assert.equal(applied.length, 1);
  await Promise.all(opened.map((database) => database[Symbol.asyncDispose]()));
});
