import assert from "node:assert/strict";
import { test } from "node:test";
import { describeType } from "../../web/site/file-types.ts";
import { ENGLISH } from "./pages.ts";

test("a type is described in words, otherwise by its family or the name", () => {
  const cases: [string | null, string, string][] = [
    ["image/jpeg", "a.jpg", "JPEG image"],
    ["Text/Plain; charset=utf-8", "a.txt", "Plain text"],
    ["application/gzip", "a.tar.gz", "Gzip archive"],
    ["application/gzip", "a.gz", "Gzip archive"],
    ["image/x-unheard-of", "a.foo", "Image"],
    ["application/octet-stream", "scene.blend", "BLEND file"],
    ["application/octet-stream", "README", "File"],
    [null, "a.bin", "BIN file"],
    ["text/plain", "server.TS", "TypeScript program"],
    ["text/x-python", "a.py", "Python program"],
    ["text/plain", "id_ed25519.pub", "Public key"],
    ["video/mp2t", "film.ts", "Video"],
    ["text/plain", "a.constructor", "Plain text"],
    ["constructor", "x", "File"],
    ["__proto__/x", "x", "File"],
  ];
  for (const [contentType, name, words] of cases) assert.equal(describeType(ENGLISH.texts.types, { contentType, name }), words);
});
