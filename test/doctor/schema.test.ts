import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { inspectFile } from "../../src/db/inspect.ts";
import { migrations } from "../../src/db/migrations/index.ts";
import { openDatabase } from "../../src/db/open.ts";
import { describeSchema } from "../../src/doctor/database.ts";
import { makeLocation } from "../db/support.ts";
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
