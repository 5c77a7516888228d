import assert from "node:assert/strict";
import { test } from "node:test";
import { closestOf, didYouMean } from "../../../src/lib/text/suggestions.ts";

/** configuration, "Where a setting comes from". */
test("suggests the candidate with the fewest changes", () => {
  assert.equal(closestOf("LISTENT", ["DATA", "LISTEN", "LIMITS"]), "LISTEN");
  assert.equal(closestOf("DTAA", ["DATA", "LISTEN"]), "DATA");
  assert.equal(closestOf("", ["LONGER", "URL"]), "URL");
  assert.equal(closestOf("alone", []), "alone");
});

test("suggests nothing if no candidate is close", () => {
  const commands = ["users", "serve", "config"];
  assert.equal(didYouMean("user", commands), ' Did you mean "users"?');
  assert.equal(didYouMean("bogus", commands), "");
  assert.equal(didYouMean("users", []), "");
  assert.equal(didYouMean("v", ["qr", "json"]), "");
  assert.equal(didYouMean("hx", ["qr", "json"]), "");
});
