import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { JOB_KINDS } from "../../src/service/administration/jobs-contract.ts";

/** administration, "Failed jobs". */
test("lists exactly the kinds of jobs that the server runs for administrators", () => {
  const sources = globSync("src/**/*.ts").map((file) => readFileSync(file, "utf8"));
  const names = sources.flatMap((source) => [...source.matchAll(/\b[A-Z_]*JOB = "([a-z-]+)"/g)].map(([, name = ""]) => name));
  assert.deepEqual(names.sort(), [...JOB_KINDS].sort());
});
