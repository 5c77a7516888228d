import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { licenses } from "../../src/cli/commands/licenses.ts";

/** command line, "Commands". */
test("names every dependency, and has the texts of the licenses that must be passed on", async () => {
  const { text } = (await import("../../src/generated/licenses.json", { with: { type: "json" } })).default;
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> };
  for (const [name, version] of Object.entries(dependencies)) assert.ok(text.includes(`${name} ${version} (`), name);
  for (const part of ["GNU LESSER GENERAL PUBLIC LICENSE", "Apache License", "Joe Drago", "Alliance for Open Media", "libde265"])
    assert.ok(text.includes(part), part);
  assert.deepEqual(licenses.examples, ["filehost licenses"]);
});
