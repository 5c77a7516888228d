import assert from "node:assert/strict";
import { test } from "node:test";
import { difficultyFor, isWorkDone, unlockDifficulty } from "../../src/lib/proof-of-work.ts";

/** agents, "Challenge" and "Registration"; unlocking, "A share with many wrong codes requires work". */
test("difficulty rises from 18 to 22 with the registrations that an address has used up", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((recent) => difficultyFor(recent, 5)),
    [18, 18, 19, 20, 21, 22, 22],
  );
  assert.deepEqual(
    [0, 249, 250, 999, 1000].map((recent) => difficultyFor(recent, 1000)),
    [18, 18, 19, 21, 22],
  );
  assert.equal(difficultyFor(0, 0), 22);
});

test("verifies the leading zero bits of SHA-256 of challenge:nonce exactly", () => {
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

test("the work for an unlock code doubles with the wrong codes past the cap", () => {
  assert.deepEqual([0, 99, 100, 299, 300, 699, 700, 1500, 6300, 25_500].map(unlockDifficulty), [18, 18, 19, 19, 20, 20, 21, 22, 24, 26]);
});
