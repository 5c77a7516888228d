import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean, findClosest } from "../../../src/lib/text/suggestions.ts";

/** configuration, "Where a setting comes from". */
test("suggests the candidate with the fewest changes", () => {
  assert.equal(findClosest("LISTENT", ["DATA", "LISTEN", "LIMITS"]), "LISTEN");
  assert.equal(findClosest("DTAA", ["DATA", "LISTEN"]), "DATA");
  assert.equal(findClosest("", ["LONGER", "URL"]), "URL");
  assert.equal(findClosest("alone", []), "alone");
});

test("suggests nothing if no candidate is close", () => {
  const commands = ["users", "serve", "config"];
  assert.equal(didYouMean("user", commands), ' Did you mean "users"?');
  assert.equal(didYouMean("bogus", commands), "");
  assert.equal(didYouMean("users", []), "");
});
