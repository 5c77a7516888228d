import assert from "node:assert/strict";
import { test } from "node:test";
import { registrationDifficulty, unlockDifficulty } from "../../../src/service/accounts/work-difficulty.ts";

/** agents, "Challenge"; unlocking, "A share with many wrong codes requires work". */
test("difficulty rises from 18 to 22 with the registrations that an address has used up", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((recent) => registrationDifficulty(recent, 5)),
    [18, 18, 19, 20, 21, 22, 22],
  );
  assert.deepEqual(
    [0, 249, 250, 999, 1000].map((recent) => registrationDifficulty(recent, 1000)),
    [18, 18, 19, 21, 22],
  );
  assert.equal(registrationDifficulty(0, 0), 22);
});

test("the work for an unlock code doubles with the wrong codes past the cap", () => {
  assert.deepEqual([0, 99, 100, 299, 300, 699, 700, 1500, 6300, 25_500].map(unlockDifficulty), [18, 18, 19, 19, 20, 20, 21, 22, 24, 26]);
});
