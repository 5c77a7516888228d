import assert from "node:assert/strict";
import { test } from "node:test";
import { archiveNames } from "../../src/domain/archive-names.ts";

/** decisions, "Model". */
test("names that are taken get a number before the extension, whatever their case", () => {
  const files = ["a.txt", "A.TXT", "a.txt", "a (2).txt", "b", "b", ".env", ".env"].map((name) => ({ name, relative_path: null }));
  assert.deepEqual(archiveNames(files), ["a.txt", "A (2).TXT", "a (3).txt", "a (2) (2).txt", "b", "b (2)", ".env", ".env (2)"]);
});

test("names that are composed of other characters to the same are taken too", () => {
  const files = ["caf\u00e9.txt", "cafe\u0301.txt"].map((name) => ({ name, relative_path: null }));
  assert.deepEqual(archiveNames(files), ["caf\u00e9.txt", "cafe\u0301 (2).txt"]);
});

test("a relative path wins, and its folders' dots are no extension", () => {
  const files = [
    { name: "x", relative_path: "v1.0/readme" },
    { name: "y", relative_path: "v1.0/readme" },
    { name: "readme", relative_path: null },
  ];
  assert.deepEqual(archiveNames(files), ["v1.0/readme", "v1.0/readme (2)", "readme"]);
});

test("a file has another name than a folder that others are in", () => {
  const files = [
    { name: "docs", relative_path: null },
    { name: "x", relative_path: "Docs/deep/a.txt" },
    { name: "y", relative_path: "docs/deep" },
  ];
  assert.deepEqual(archiveNames(files), ["docs (2)", "Docs/deep/a.txt", "docs/deep (2)"]);
});

test("ten thousand files of one name are named at once", () => {
  const files = Array.from({ length: 10_000 }, () => ({ name: "same.txt", relative_path: null }));
  const before = performance.now();
  assert.equal(new Set(archiveNames(files)).size, files.length);
  assert.ok(performance.now() - before < 500);
});
