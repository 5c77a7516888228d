import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isProse } from "../../../web/preview/is-prose.ts";

/** previews, "Documents": prose. */
describe("the prose among texts", () => {
  for (const text of [
    "The door code is 4711.",
    "Hi Ada,\n\nsee https://files.example.org/d/7kXq9Zab?a=b&c=d-with-a-long-query-and-more\n\nMax",
    "- milk\n- bread; and butter\n",
    "First.  Two spaces after a sentence.\n",
    "你好，这是一个笔记。",
  ])
    test(`contain ${JSON.stringify(text)}`, () => assert.equal(isProse("note.txt", "text/plain", text), true));

  for (const text of [
    "if (a) {\n  b();\n}\n",
    "run();",
    "name    age\nAda     36\n",
    "a\tb\n",
    "-----BEGIN CERTIFICATE-----\nMIIB\n",
    `${"0123456789abcdef".repeat(4)}\n`,
    "$ ls\n",
    "<p>text</p>\n",
  ])
    test(`do not contain ${JSON.stringify(text)}`, () => assert.equal(isProse("note.txt", "text/plain", text), false));

  test("have no extension, or that of a plain text", () => {
    assert.equal(isProse("README", "text/plain", "A note."), true);
    for (const [name, type] of [
      ["server.log", "text/plain"],
      ["a.py", "text/plain"],
      ["a.txt", "application/sql"],
    ] as const)
      assert.equal(isProse(name, type, "A note."), false, name);
  });
});
