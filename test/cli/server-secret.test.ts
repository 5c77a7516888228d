import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeDataFolder, run, runJson } from "./support.ts";

/** configuration, "The server's secret". */

const ADOPT = ["secrets", "adopt"];

test("a database refuses another secret, and none, until that is adopted", async () => {
  await using folder = await makeDataFolder();
  const path = join(folder.path, "data", "secret");
  const list = () => run(["users", "list"], folder.env);
  await runJson(["users", "create", "--email", "ada@example.org", "--name", "Ada", "--username", "ada"], folder.env);
  const former = await readFile(path, "utf8");

  await writeFile(path, "f".repeat(64));
  const refused = await list();
  assert.match(refused.stderr, /is not the secret with which this database was used\. .*filehost secrets adopt/);
  assert.notEqual(refused.code, 0);
  assert.match((await run(ADOPT, folder.env)).stderr, /Pass --yes/);
  assert.match((await run(ADOPT, folder.env, { answers: ["n"] })).stderr, /Nothing was changed/);
  assert.notEqual((await list()).code, 0);
  assert.deepEqual(await runJson([...ADOPT, "--yes"], folder.env), { changed: true });
  assert.equal((await list()).code, 0);
  assert.deepEqual(await runJson(ADOPT, folder.env), { changed: false });

  await writeFile(path, former);
  assert.notEqual((await list()).code, 0, "the former one is another one now");

  await rm(path);
  assert.match((await list()).stderr, /is missing, and this database was used with it.*filehost secrets adopt/);
  assert.deepEqual(await runJson([...ADOPT, "--yes"], folder.env), { changed: true });
  assert.match(await readFile(path, "utf8"), /^[0-9a-f]{64}\n$/);
  assert.equal((await list()).code, 0);
});
