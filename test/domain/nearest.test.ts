import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean, nearest } from "../../src/domain/nearest.ts";

/** decisions, "Configuration". */
test("the candidate with the fewest changes", () => {
  assert.equal(nearest("LISTENT", ["DATA", "LISTEN", "LIMITS"]), "LISTEN");
  assert.equal(nearest("DTAA", ["DATA", "LISTEN"]), "DATA");
  assert.equal(nearest("", ["LONGER", "URL"]), "URL");
  assert.equal(nearest("alone", []), "alone");
});

test("nothing is guessed where no candidate is near", () => {
  const commands = ["users", "serve", "config"];
  assert.equal(didYouMean("user", commands), ' Did you mean "users"?');
  assert.equal(didYouMean("bogus", commands), "");
  assert.equal(didYouMean("users", []), "");
});
