import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toZipTree, type ZipFolder } from "../../../web/preview/zip-tree.ts";

const treeOf = (...names: readonly string[]) =>
  toZipTree(names.map((name) => ({ name, sizeBytes: 1, isFolder: /[/\\]$/.test(name), isEncrypted: false })));

/** Lists the names in the order in which they are shown, those of folders with a slash, indented by their depth. */
const show = ({ folders, files }: ZipFolder, depth = 0): string[] => [
  ...folders.flatMap((folder) => [`${" ".repeat(depth)}${folder.name}/`, ...show(folder, depth + 1)]),
  ...files.map(({ name }) => " ".repeat(depth) + name),
];

/** previews, "Documents": the list of a ZIP. */
describe("the list of a ZIP", () => {
  test("has folders before files, in natural order", () => {
    assert.deepEqual(show(treeOf("b.txt", "a/10.txt", "a/2.txt", "a/", "c10/x", "c2/x", "a/d/y")), [
      "a/",
      " d/",
      "  y",
      " 2.txt",
      " 10.txt",
      "c2/",
      " x",
      "c10/",
      " x",
      "b.txt",
    ]);
  });

  test("joins folders that contain only a folder, and counts their files and bytes", () => {
    const tree = treeOf("a/b/c/1.txt", "a/b/c/2.txt", "empty/");
    assert.deepEqual(show(tree), ["a/b/c/", " 1.txt", " 2.txt", "empty/"]);
    assert.deepEqual(
      tree.folders.map(({ fileCount, sizeBytes }) => [fileCount, sizeBytes]),
      [
        [2, 2],
        [0, 0],
      ],
    );
  });

  test("accepts names that are not safe as paths", () => {
    assert.deepEqual(show(treeOf("../x", "/abs/y", "win\\dows\\z", "__proto__/p", "//", "")), [
      "__proto__/",
      " p",
      "../",
      " x",
      "abs/",
      " y",
      "win/dows/",
      " z",
      "",
    ]);
    const [deep] = show(treeOf(`${"d/".repeat(10_000)}x`, `${"d/".repeat(10_000)}y`));
    assert.equal(deep, `${"d/".repeat(32)}`);
  });
});
