import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { inspectFile } from "../../src/db/inspect.ts";
import { initialSchema } from "../../src/db/migrations/0001-initial-schema.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { openDatabase } from "../../src/db/open.ts";
import { describeSchema } from "../../src/doctor/database.ts";
import { makeLocation, replacedMigrations } from "../db/support.ts";
import { assertResult } from "./support.ts";

/** command line, "Commands" (doctor). */

test("doctor lists the migrations that the next start applies to an older database, and applies none", async () => {
  await using location = await makeLocation();
  await (await openDatabase({ url: location.url }))[Symbol.asyncDispose]();
  const before = await readdir(dirname(location.path));
  for (const _ of ["first", "again"]) {
    const { schema } = await inspectFile(location.path, [
      ...migrations,
      { name: "9998-added", statements: ["CREATE TABLE added (x TEXT)"] },
    ]);
    assertResult(describeSchema(schema, location.path), "ok", /of an older version: the next start migrates it \(9998-added\)/);
    assert.deepEqual(await readdir(dirname(location.path)), before);
  }
});

/** What a doctor that knows the initial schema says about databases of earlier versions, which it leaves unchanged. */
const EARLIER = [
  {
    name: "all of the replaced migrations",
    count: replacedMigrations.length,
    level: "ok",
    says: /filehost\.db, schema 1$/,
    fix: undefined,
  },
  { name: "some of the replaced migrations", count: 2, level: "fail", says: /does not upgrade/, fix: /Start commit 87371cde with it once/ },
] as const;

for (const { name, count, level, says, fix } of EARLIER)
  test(`doctor finds a database with ${name} ${level === "ok" ? "current" : "too old"}, and changes nothing`, async () => {
    await using location = await makeLocation();
    const made = replacedMigrations.slice(0, count);
    await (await openDatabase({ url: location.url, migrations: made }))[Symbol.asyncDispose]();
    const { schema } = await inspectFile(location.path, [initialSchema]);
    assertResult(describeSchema(schema, location.path), level, says, fix);
    await using unchanged = await openDatabase({ url: location.url, migrations: made });
    assert.equal((await sql`SELECT name FROM migrations`.execute(unchanged.db)).rows.length, count);
  });
