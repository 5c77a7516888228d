import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { openConnection, type Row } from "../../src/db/connection.ts";
import type { Db } from "../../src/db/database.ts";
import type { Migration } from "../../src/db/migrate.ts";
import { initialSchema } from "../../src/db/migrations/0001-initial-schema.ts";
import { openDatabase } from "../../src/db/open.ts";
import { openRemote } from "../../src/db/remote.ts";
import { startLibsqlServer } from "../support/services/libsql-server.ts";
import { testEach } from "./engines.ts";
import { countSettings, makeLocation, putSetting, replacedMigrations } from "./support.ts";

/** storage, "The database". */

/** What replaces them, without the migrations since. */
const migrations = [initialSchema];

const added: Migration = { name: "9998-added", statements: ["CREATE TABLE added (x TEXT)"] };

const listMigrations = async (db: Db): Promise<readonly unknown[]> =>
  (await sql<{ number: number; name: string }>`SELECT number, name FROM migrations ORDER BY number`.execute(db)).rows.map(
    ({ number, name }) => `${number} ${name}`,
  );

/** What a database adopts: its numbers are those of the list. */
const adopted = migrations.map(({ name }, index) => `${index + 1} ${name}`);

test("a new database has the tables, columns, indexes, triggers and rows that the replaced migrations made", async () => {
  const [made, wanted] = [await describeNew(migrations), await describeNew(replacedMigrations)];
  for (const part of ["objects", "columns", "references", "indexes", "rows"] as const) {
    assert.ok(wanted[part].length > 30, `${part} were found`);
    assert.deepEqual(made[part], wanted[part], part);
  }
});

testEach("a database with all replaced migrations is adopted, with its data", async (_, location) => {
  {
    await using earlier = await location.open({ migrations: replacedMigrations });
    await putSetting(earlier.db, "kept");
    await sql`INSERT INTO users (id, name, email, created_at, updated_at) VALUES ('u', 'n', 'e', 1, 1)`.execute(earlier.db);
  }
  const applied: string[] = [];
  for (const _ of ["a first start", "a second start"]) {
    await using database = await location.open({ migrations, onMigrated: (names) => applied.push(...names) });
    assert.deepEqual(await listMigrations(database.db), adopted);
    assert.equal(await countSettings(database.db), 1);
    assert.equal((await database.db.selectFrom("users").select("id").execute()).length, 1);
  }
  assert.deepEqual(applied, [], "it was not migrated");
  await using upgraded = await location.open({ migrations: [...migrations, added] });
  assert.deepEqual(await listMigrations(upgraded.db), [...adopted, `${adopted.length + 1} 9998-added`]);
});

testEach("several processes that start together adopt a database once, and apply what comes after it once", async (_, location) => {
  await (await location.open({ migrations: replacedMigrations }))[Symbol.asyncDispose]();
  const applied: string[] = [];
  const opened = await Promise.all(
    [1, 2, 3, 4].map(() => location.open({ migrations: [...migrations, added], onMigrated: (names) => applied.push(...names) })),
  );
  const [first] = opened;
  assert.ok(first);
  assert.deepEqual(await listMigrations(first.db), [...adopted, `${adopted.length + 1} 9998-added`]);
  assert.deepEqual(applied, ["9998-added"]);
  await Promise.all(opened.map((database) => database[Symbol.asyncDispose]()));
});

testEach("a failed upgrade of a database that would be adopted leaves its migrations", async (_, location) => {
  await (await location.open({ migrations: replacedMigrations }))[Symbol.asyncDispose]();
  const failing: Migration = { name: "9999-failing", statements: ["INSERT INTO nowhere VALUES (1)"] };
  await assert.rejects(location.open({ migrations: [...migrations, failing] }), /9999-failing failed/);
  await using database = await location.open({ migrations: replacedMigrations });
  assert.equal((await listMigrations(database.db)).length, replacedMigrations.length);
});

testEach("a database with all replaced migrations and an unknown one is refused", async (_, location) => {
  await (await location.open({ migrations: [...replacedMigrations, added] }))[Symbol.asyncDispose]();
  await assert.rejects(location.open(), /has the migration 9998-added.*newer version/);
});

test("a file is adopted without a copy, and copied as it was if there is something to apply", async () => {
  for (const [list, copies] of [
    [migrations, []],
    [[...migrations, added], ["filehost.db.before-9998-added"]],
  ] as const) {
    await using location = await makeLocation();
    await (await openDatabase({ url: location.url, migrations: replacedMigrations }))[Symbol.asyncDispose]();
    await (await openDatabase({ url: location.url, migrations: list }))[Symbol.asyncDispose]();
    const beside = (await readdir(dirname(location.path))).filter((name) => name.startsWith(`${basename(location.path)}.`));
    assert.deepEqual(beside, copies);
    for (const name of copies) {
      await using copy = await openDatabase({ url: `file:${dirname(location.path)}/${name}`, migrations: replacedMigrations });
      assert.equal((await listMigrations(copy.db)).length, replacedMigrations.length);
    }
  }
});

test("a database on a server is adopted, also if the response is lost", async () => {
  let isLost = false;
  await using server = await startLibsqlServer({
    fault(requests) {
      if (isLost || !/DELETE FROM migrations/.test(JSON.stringify(requests))) return undefined;
      isLost = true;
      return "lose-response";
    },
  });
  const { url, token } = server;
  await (await openRemote({ url, token, migrations: replacedMigrations }))[Symbol.asyncDispose]();
  await using database = await openRemote({ url, token, migrations });
  assert.ok(isLost);
  assert.deepEqual(await listMigrations(database.db), adopted);
});

/** All that SQLite knows about the schema of a new database, and its rows. The order of columns counts: an adopted database is like a new one. */
async function describeNew(list: readonly Migration[]) {
  await using location = await makeLocation();
  await (await openDatabase({ url: location.url, migrations: list }))[Symbol.asyncDispose]();
  const connection = openConnection(location.path);
  const read = (query: string): readonly Row[] => connection.run(query).rows;
  /** What a function of SQLite says about each table. */
  const readOfTables = (columns: string, source: string): readonly Row[] =>
    read(`SELECT made.name AS of_table, ${columns} FROM sqlite_master AS made, ${source} WHERE made.type = 'table' ORDER BY 1, 2, 3`);
  try {
    const objects = read("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name");
    const tables = objects.flatMap(({ type, name }) => (type === "table" && name !== "migrations" ? [String(name)] : []));
    return {
      // Indexes that SQLite makes for constraints have no statement.
      objects: objects.map(({ sql: statement, ...made }) => ({ ...made, statement: statement && normalize(String(statement)) })),
      columns: readOfTables("part.*", "pragma_table_xinfo(made.name) AS part"),
      references: readOfTables("part.*", "pragma_foreign_key_list(made.name) AS part"),
      indexes: readOfTables(
        `list.name, part.seqno, part.cid, part.name AS column_name, part."desc", part.coll, part."key", list."unique", list.origin, list.partial`,
        "pragma_index_list(made.name) AS list, pragma_index_xinfo(list.name) AS part",
      ),
      rows: tables.map((name) => [name, read(`SELECT * FROM ${name}`)]),
    };
  } finally {
    connection.close();
  }
}

/** Removes what SQLite and people write differently: white space, and the quotes of a name. */
const normalize = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/ ?([(),]) ?/g, "$1")
    .replace(/"(\w+)"/g, "$1");
