import assert from "node:assert/strict";
import { test } from "node:test";
import { isWorkDone } from "../../../src/lib/secrets/proof-of-work.ts";

/** agents, "Registration". */
test("a proof is verified by the exact number of leading zero bits of SHA-256 of challenge:nonce", () => {
  // The digest of "a:63" begins 000715, that of "a:0" 0ed32d.
  for (const [nonce, bits] of [
    ["63", 13],
    ["0", 4],
  ] as const) {
    assert.ok(isWorkDone("a", nonce, bits));
    assert.ok(!isWorkDone("a", nonce, bits + 1));
  }
  assert.ok(!isWorkDone("b", "63", 13));
  assert.ok(isWorkDone("a", "anything", 0));
  assert.ok(!isWorkDone("a", "anything", 256));
});
