import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { openConnection } from "../../src/db/connection.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { openDatabase } from "../../src/db/open.ts";
import { openRemote } from "../../src/db/remote.ts";
import { AppError } from "../../src/errors.ts";
import { startLibsqlServer } from "../support/libsql-server.ts";
import { testEach } from "./engines.ts";
import { FORMER_MIGRATIONS, makeLocation } from "./support.ts";

/** storage, "The database". */

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === "UNAVAILABLE" &&
  /an earlier version, which this version does not upgrade\. Open it with commit cbceac3, .*FILEHOST_S3_PREFIX/.test(error.message);

testEach("refuses a database of the former migrations and leaves its data unchanged", async (_, location) => {
  for (const count of [1, 2, FORMER_MIGRATIONS.length]) {
    const former = FORMER_MIGRATIONS.slice(0, count);
    {
      await using database = await location.open({ migrations: former });
      await sql`INSERT INTO settings (name, value) VALUES (${`with ${count}`}, '')`.execute(database.db);
    }
    await assert.rejects(location.open(), isRefusal);
  }
  await using database = await location.open({ migrations: FORMER_MIGRATIONS });
  assert.equal((await sql`SELECT name FROM settings`.execute(database.db)).rows.length, 3);
});

test("leaves every byte of a refused file unchanged, in WAL mode or not", async () => {
  await using location = await makeLocation();
  const copy = `${location.path}.copy`;
  {
    await using database = await openDatabase({ url: location.url, migrations: FORMER_MIGRATIONS });
    await sql`INSERT INTO settings (name, value) VALUES ('a', '')`.execute(database.db);
    const connection = openConnection(location.path);
    connection.run("VACUUM INTO ?", [copy]);
    connection.close();
  }
  // SQLite itself makes and removes those of a database in WAL mode, when connections are collected.
  const ofWal = [`${basename(location.path)}-wal`, `${basename(location.path)}-shm`];
  const listFiles = async (): Promise<string[]> => (await readdir(dirname(copy))).filter((name) => !ofWal.includes(name));
  for (const path of [location.path, copy]) {
    const before = await readFile(path);
    const beside = await listFiles();
    await assert.rejects(openDatabase({ url: `file:${path}` }), isRefusal);
    assert.ok(before.equals(await readFile(path)), path);
    assert.deepEqual(await listFiles(), beside);
  }
});

test("sends only reads to a server whose database is refused", async () => {
  await using server = await startLibsqlServer();
  const { url, token } = server;
  await (await openRemote({ url, token, migrations: FORMER_MIGRATIONS }))[Symbol.asyncDispose]();
  const asked = server.pipelines.length;
  await assert.rejects(openRemote({ url, token, migrations }), isRefusal);
  const statements = JSON.stringify(server.pipelines.slice(asked));
  assert.match(statements, /SELECT name FROM migrations/);
  assert.doesNotMatch(statements, /CREATE|INSERT|UPDATE|DELETE|DROP|BEGIN/);
});
