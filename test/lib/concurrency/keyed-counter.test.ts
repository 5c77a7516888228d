import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyedCounter } from "../../../src/lib/concurrency/keyed-counter.ts";

test("sums amounts by key", () => {
  const tally = createKeyedCounter();
  const steps: readonly (readonly [string, number, number])[] = [
    ["a", 2, 2],
    ["a", 3, 5],
    ["b", 1, 1],
    ["a", -5, 0],
    ["a", 1, 1],
    ["b", -2, -1],
  ];
  for (const [key, amount, sum] of steps) {
    tally.add(key, amount);
    assert.equal(tally.get(key), sum, `${key} ${amount}`);
  }
  assert.equal(tally.get("unknown"), 0);
});
