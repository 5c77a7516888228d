import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { checkDriver, embedAddon } from "../../src/db/libsql.ts";

const libsqlFile = createRequire(import.meta.url).resolve("libsql");

test("the installed driver works as filehost uses it", async () => {
  await checkDriver();
});

test("the database reports a driver with a synchronous or ineffective commit at start", async () => {
  const isSynchronous = (() => undefined) as unknown as () => Promise<void>;
  for (const exec of [isSynchronous, async () => {}])
    await assert.rejects(checkDriver(exec), /libsql driver does not work as filehost uses it.*package\.json/);
});

test("the build replaces the driver's choice of an addon by a literal, and throws if the driver has changed", async () => {
  const source = await readFile(libsqlFile, "utf8");
  const literal = embedAddon(source, "linux-x64-gnu");
  assert.match(literal, /= require\("@libsql\/linux-x64-gnu"\)/);
  assert.doesNotMatch(literal, /requireNative|@neon-rs/);
  assert.throws(() => embedAddon(source.replace("= requireNative();", "= load();"), "linux-x64-gnu"), /not as this build knows it/);
});
