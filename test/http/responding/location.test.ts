import assert from "node:assert/strict";
import { test } from "node:test";
import { locationHeader } from "../../../src/http/responding/location.ts";

test("a Location is a path of this server or another URL, in characters that a header can have", () => {
  for (const [target, location] of [
    ["/d/abc?x=1#y", "/d/abc?x=1#y"],
    ["/d/日本語.txt", "/d/%E6%97%A5%E6%9C%AC%E8%AA%9E.txt"],
    ["/d/%0d%0a%00", "/d/%0d%0a%00"],
    ["/d/a\r\nb", "/d/ab"],
    ["/d/a\0b", "/d/a%00b"],
    ["//evil.example/x", "/evil.example/x"],
    ["/\\evil.example", "/evil.example"],
    ["/.//evil.example", "/evil.example"],
    ["https://files.example/dl/日本.txt?n=%E6", "https://files.example/dl/%E6%97%A5%E6%9C%AC.txt?n=%E6"],
    ["cursor://app/callback?code=a", "cursor://app/callback?code=a"],
    ["com.example.app:/callback?code=a", "com.example.app:/callback?code=a"],
  ] as const)
    assert.equal(locationHeader(target).Location, location);
});
