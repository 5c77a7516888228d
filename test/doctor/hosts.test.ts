import assert from "node:assert/strict";
import { test } from "node:test";
import { reachOf } from "../../src/doctor/addresses.ts";

/** addresses, "Base addresses". */
for (const [reach, names] of [
  ["this machine", ["localhost", "files.localhost", "127.0.0.1", "127.1.2.3", "[::1]", "::1"]],
  ["this network", ["minio", "10.0.0.7", "192.168.1.1", "172.20.0.3", "[fd00::1]", "100.64.0.1"]],
  ["everywhere", ["files.example.org", "192.0.2.7", "8.8.8.8", "[2001:4860::8]", "0.0.0.0", "localhost.example.org"]],
] as const) {
  test(`considers ${names.join(", ")} reachable from ${reach}`, () => {
    for (const name of names) assert.equal(reachOf(name), reach, name);
  });
}
