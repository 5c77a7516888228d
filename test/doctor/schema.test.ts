import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { inspectFile } from "../../src/db/inspect.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { openDatabase } from "../../src/db/open.ts";
import { describeSchema } from "../../src/doctor/database.ts";
import { makePlace } from "../db/support.ts";
import { assertResult } from "./support.ts";

/** command line, "Commands" (doctor). */

test("doctor lists the migrations that the next start applies to an older database, and applies none", async () => {
  await using place = await makePlace();
  await (await openDatabase({ url: place.url }))[Symbol.asyncDispose]();
  const before = await readdir(dirname(place.path));
  for (const _ of ["first", "again"]) {
    const { schema } = await inspectFile(place.path, [...migrations, { name: "9998-added", statements: ["CREATE TABLE added (x TEXT)"] }]);
    assertResult(describeSchema(schema, place.path), "ok", /of an older version: the next start migrates it \(9998-added\)/);
    assert.deepEqual(await readdir(dirname(place.path)), before);
  }
});
