import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const CHILD = join(import.meta.dirname, "uncaught-error.child.ts");
const run = (...words: readonly string[]) => spawnSync(process.execPath, [CHILD, ...words], { encoding: "utf8" });

/** command line, "States of an installation": also for what no code handles. */
test("a command ends with a sentence and exit code 1 when a callback throws", () => {
  const { status, stdout, stderr } = run("completions", "bash");
  assert.deepEqual({ status, stdout }, { status: 1, stdout: "" });
  assert.match(stderr, /^The command failed unexpectedly: Error: thrown by a timer\. [^\n]+\n$/);
  const asJson = run("version", "--json");
  assert.equal(asJson.status, 1);
  assert.equal((JSON.parse(asJson.stderr) as { readonly errorCode: string }).errorCode, "INTERNAL");
});
