import assert from "node:assert/strict";
import { test } from "node:test";
import { openConnection } from "../../src/db/connection.ts";
import { checkFile } from "../../src/db/inspect.ts";
import { createDatabaseFile } from "../../src/db/local-file.ts";
import { makeLocation } from "./support.ts";

/** command line, "Commands": doctor ends, however large the database. */
test("checks a file beside a writer, for at most the given time", async () => {
  await using file = await makeLocation();
  await createDatabaseFile(file.path);
  const writer = openConnection(file.path);
  writer.exec("PRAGMA journal_mode = WAL");
  writer.exec("CREATE TABLE bulk (id INTEGER PRIMARY KEY, text TEXT)");
  const fill = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT hex(randomblob(100)) FROM n";
  writer.exec(`INSERT INTO bulk (text) ${fill}`);
  assert.deepEqual(await checkFile(file.path, 1), { kind: "unfinished" });
  writer.exec("BEGIN IMMEDIATE");
  assert.deepEqual(await checkFile(file.path, 100_000), { kind: "whole" });
  writer.exec("INSERT INTO bulk (text) VALUES ('written meanwhile')");
  writer.exec("COMMIT");
  writer.close();
});
