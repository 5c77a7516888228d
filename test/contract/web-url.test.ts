import assert from "node:assert/strict";
import { test } from "node:test";
import { webUrl } from "../../src/contract/web-url.ts";

test("a URL of a response is of http or https, and has nothing that controls a terminal", () => {
  for (const url of ["https://files.example.org/d/7kXq9Zab", "http://localhost:8977", "https://bücher.example/d/7kXq9Zab?x=1#k"])
    assert.ok(webUrl.safeParse(url).success, url);
  const wrong = [
    "file:/d/abc",
    "javascript:alert(1)",
    "vscode://x/d/a",
    "https://a.example/\x1b[2J",
    "https://a.example/\x07",
    "https://a.example/\u202ea",
  ];
  for (const url of wrong) assert.ok(!webUrl.safeParse(url).success, JSON.stringify(url));
});
