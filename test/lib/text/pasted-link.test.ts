import assert from "node:assert/strict";
import { test } from "node:test";
import { trimPasted } from "../../../src/lib/text/pasted-link.ts";

test("the characters around a pasted link are removed", () => {
  const link = "https://files.example.org/d/7kXq9Zab";
  const around = [
    "$.",
    "$\\",
    "($)",
    "<$>",
    "„$“",
    "«$»",
    "$…",
    "**$**,",
    " $\n",
    "\u00a0$",
    "$\u200b",
    "\u2060$\ufeff",
    "`$`!",
    "$。",
    "【$】",
    '"$".',
  ];
  for (const text of around) assert.equal(trimPasted(text.replace("$", link)), link, text);
  assert.equal(trimPasted("7kXq\u200b9Zab"), "7kXq9Zab");
});

test("characters of IDs, tokens and keys remain, including white space between two of them", () => {
  for (const text of ["7kXq9Zab", "-_token-_", "a b", "https://files.example.org/d/7kXq9Zab?file=a#key=AGE-SECRET-KEY-1X"])
    assert.equal(trimPasted(text), text);
});
