import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openDatabase } from "../../src/db/open.ts";
import { countUp, makeLocation, readCount } from "./support.ts";

function startChild(url: string, times: number) {
  const script = fileURLToPath(new URL("./count-up.child.ts", import.meta.url));
  const runtimeFlags = "Deno" in globalThis ? ["run", "-A"] : [];
  return spawn(process.execPath, [...runtimeFlags, script, url, String(times)], { stdio: ["pipe", "pipe", "inherit"] });
}

test("two processes open, migrate and write one file without losing a count or blocking an event loop", async () => {
  await using location = await makeLocation();
  const child = startChild(location.url, 50);
  const exit = once(child, "exit");
  let isCounting = true;
  const counted = once(child.stdout, "data").then(() => {
    isCounting = false;
  });
  await using database = await openDatabase({ url: location.url });
  let ours = 0;
  while (isCounting) {
    await Promise.all([1, 2, 3].map(() => database.transaction((transaction) => countUp(transaction, "shared"))));
    ours += 3;
    await setImmediate();
  }
  await counted;

  const holding = once(child.stdout, "data");
  child.stdin.write("hold\n");
  await holding;
  let isWritten = false;
  const waiting = database
    .transaction((transaction) => countUp(transaction, "shared"))
    .then(() => {
      isWritten = true;
    });
  // The queue begins in the next round of the event loop. A process that waited for the lock in it would never release the other.
  await setImmediate();
  assert.equal(await readCount(database.db, "shared"), ours + 50);
  assert.equal(isWritten, false);
  child.stdin.write("go on\n");
  await waiting;
  assert.deepEqual(await exit, [0, null]);
  assert.equal(await readCount(database.db, "shared"), ours + 52);
});
