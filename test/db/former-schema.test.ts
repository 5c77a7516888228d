import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { openConnection } from "../../src/db/connection.ts";
import type { Migration } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { openDatabase } from "../../src/db/open.ts";
import { openRemote } from "../../src/db/remote.ts";
import { AppError } from "../../src/errors.ts";
import { startLibsqlServer } from "../support/services/libsql-server.ts";
import { testEach } from "./engines.ts";
import { FORMER_MIGRATIONS, makeLocation, replacedMigrations } from "./support.ts";

/** storage, "The database". */

const isRefusal =
  (fix: RegExp) =>
  (error: unknown): boolean =>
    error instanceof AppError &&
    error.code === "UNAVAILABLE" &&
    error.message.startsWith("The database has the schema of an earlier version, which this version does not upgrade.") &&
    fix.test(error.message);

/** What made databases that this version refuses, and what it says about each. */
const TOO_OLD = [
  {
    name: "the former migrations",
    counts: [1, 2, FORMER_MIGRATIONS.length],
    made: (count: number): readonly Migration[] => FORMER_MIGRATIONS.slice(0, count),
    saysWhy: isRefusal(/Open it with commit cbceac3, .*FILEHOST_S3_PREFIX/),
  },
  {
    name: "some of the replaced migrations",
    counts: [1, 2, replacedMigrations.length - 1],
    made: (count: number): readonly Migration[] => replacedMigrations.slice(0, count),
    saysWhy: isRefusal(/Start commit 87371cde with it once, .*then this version/),
  },
];

const NOTE = sql`CREATE TABLE IF NOT EXISTS notes (text TEXT)`;

for (const { name, counts, made, saysWhy } of TOO_OLD)
  testEach(`refuses a database of ${name} and leaves its data unchanged`, async (_, location) => {
    for (const count of counts) {
      {
        await using database = await location.open({ migrations: made(count) });
        await NOTE.execute(database.db);
        await sql`INSERT INTO notes VALUES (${`with ${count}`})`.execute(database.db);
      }
      await assert.rejects(location.open(), saysWhy);
    }
    await using database = await location.open({ migrations: made(counts.at(-1) ?? 0) });
    assert.equal((await sql`SELECT text FROM notes`.execute(database.db)).rows.length, 3);
    assert.equal((await sql`SELECT name FROM migrations`.execute(database.db)).rows.length, counts.at(-1));
  });

for (const { name, counts, made, saysWhy } of TOO_OLD) {
  test(`leaves every byte of a file of ${name} unchanged, in WAL mode or not`, async () => {
    await using location = await makeLocation();
    const copy = `${location.path}.copy`;
    {
      await using database = await openDatabase({ url: location.url, migrations: made(counts.at(-1) ?? 0) });
      await NOTE.execute(database.db);
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
      await assert.rejects(openDatabase({ url: `file:${path}` }), saysWhy);
      assert.ok(before.equals(await readFile(path)), path);
      assert.deepEqual(await listFiles(), beside);
    }
  });

  test(`sends only reads to a server with a database of ${name}`, async () => {
    await using server = await startLibsqlServer();
    const { url, token } = server;
    await (await openRemote({ url, token, migrations: made(counts.at(-1) ?? 0) }))[Symbol.asyncDispose]();
    const asked = server.pipelines.length;
    await assert.rejects(openRemote({ url, token, migrations }), saysWhy);
    const statements = JSON.stringify(server.pipelines.slice(asked));
    assert.match(statements, /SELECT name FROM migrations/);
    assert.doesNotMatch(statements, /CREATE|INSERT|UPDATE|DELETE|DROP|BEGIN/);
  });
}
