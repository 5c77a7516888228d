import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";

/** connections, "Too many connections" */

test("the threshold of connections is a count or a fraction of the limit, by default 80 %", () => {
  const read = (text: string) => loadConfig({ FILEHOST_CONNECTIONS: text }).config.connections;
  assert.deepEqual(loadConfig({}).config.connections, { fraction: 0.8 });
  assert.deepEqual(read("50%"), { fraction: 0.5 });
  assert.deepEqual(read("4096"), { count: 4096 });
  for (const text of ["0", "63", "9%", "91%", "many", "-1", "1.5", "80 %"])
    assert.throws(() => read(text), /FILEHOST_CONNECTIONS: write a number of at least 64, or a percentage from 10% to 90%/, text);
});
