import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";

/** decisions, "Configuration" */

test("the threshold of connections is a number or a share of the limit, by default 80 %", () => {
  const read = (text: string) => loadConfig({ FILEHOST_CONNECTIONS: text }).config.connections;
  assert.deepEqual(loadConfig({}).config.connections, { share: 0.8 });
  assert.deepEqual(read("50%"), { share: 0.5 });
  assert.deepEqual(read("4096"), { count: 4096 });
  for (const text of ["0", "63", "9%", "91%", "many", "-1", "1.5", "80 %"])
    assert.throws(() => read(text), /FILEHOST_CONNECTIONS: write a number from 64 on, or a share from 10% to 90%/, text);
});
