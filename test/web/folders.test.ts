import assert from "node:assert/strict";
import { test } from "node:test";
import { groupByFolder } from "../../web/folders.ts";

const grouped = (...paths: string[]) =>
  groupByFolder(paths.map((relativePath) => ({ name: "unused", relativePath }))).map(({ folder, items }) => [
    folder,
    ...items.map(({ name }) => name),
  ]);

test("lists files outside folders first, folders and names in natural order", () => {
  assert.deepEqual(grouped("b/10.txt", "b/9.txt", "z.txt", "a/b/c.txt", "Z2", "b/1.txt"), [
    ["", "z.txt", "Z2"],
    ["a/b", "c.txt"],
    ["b", "1.txt", "9.txt", "10.txt"],
  ]);
});

test("finds a name for files with unusual paths", () => {
  assert.deepEqual(grouped("/a", "b/"), [
    ["", "a"],
    ["b", "unused"],
  ]);
  assert.deepEqual(
    groupByFolder([{ name: "n.txt" }]).map(({ items }) => items[0]?.name),
    ["n.txt"],
  );
  assert.deepEqual(groupByFolder([]), []);
});
