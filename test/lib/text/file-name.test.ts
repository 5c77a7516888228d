import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toFileName, toNameKeys, toRelativePath, toSearchKey } from "../../../src/lib/text/file-name.ts";

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** uploads, "Name and type". */
describe("a file's name", () => {
  test("preserves harmless characters", () => {
    for (const name of ["a", "a.tar.gz", "with space", ".hidden", "naïve", "日本語", "👩‍🚀", "q\"uo'te", "<b>", "%2e%2e", "a..b", "CON"])
      assert.equal(toFileName(name), name);
  });

  test("is the last segment of a path", () => {
    for (const path of [
      "/home/a/b.txt",
      "C:\\Users\\a\\b.txt",
      "\\\\server\\share\\b.txt",
      "../../etc/b.txt",
      "a/b.txt/",
      "a\\b.txt\\..",
      "C:/a\\b.txt",
    ])
      assert.equal(toFileName(path), "b.txt", path);
    assert.equal(toFileName("/a/./b/../c"), "c");
  });

  test("is decoded from the words of mail headers, and the last segment of what they encode", () => {
    assert.equal(toFileName("=?utf-8?B?L2hvbWUvYS/DnC50eHQ=?="), "Ü.txt");
    assert.equal(toFileName("=?utf-8?Q?=C3=9C=E2=80=AE=00.txt?="), "Ü.txt");
    assert.equal(toRelativePath("a/=?utf-8?B?w5wudHh0?="), "a/Ü.txt");
  });

  test("removes invisible characters", () => {
    assert.equal(toFileName("a\u0000b\r\nc\td\u007f\u0085e"), "abcde");
    assert.equal(toFileName("x\u202Egpj.exe"), "xgpj.exe");
    assert.equal(toFileName("\u200E\u200F\u061C\u2066\u2067\u2068\u2069\u202A\u202B\u202C\u202D\uFEFFx\u2028\u2029"), "x");
  });

  test("is never empty", () => {
    for (const name of ["", " ", ".", "..", "/", "../..", "\u0000", "\u202E", "./.", "\\"])
      assert.equal(toFileName(name), "file", JSON.stringify(name));
  });

  test("is well-formed", () => {
    assert.equal(toFileName("a\ud800b"), "a\uFFFDb");
    assert.ok(toFileName("\udc00".repeat(300)).isWellFormed());
  });

  test("is cut to 255 bytes between characters and preserves its extension", () => {
    for (const letter of ["a", "ä", "語", "👩"]) {
      const name = toFileName(`${letter.repeat(400)}.jpeg`);
      assert.ok(bytesOf(name) <= 255 && bytesOf(name) > 250, `${bytesOf(name)}`);
      assert.ok(name.endsWith(".jpeg") && name.isWellFormed());
    }
    assert.equal(bytesOf(toFileName("a".repeat(255))), 255);
    assert.equal(bytesOf(toFileName(`.${"x".repeat(400)}`)), 255);
    assert.equal(bytesOf(toFileName(`a.${"x".repeat(400)}`)), 255);
  });
});

describe("a file name from a client", () => {
  for (const [sent, name] of [
    ["plain.txt", "plain.txt"],
    ["with space.txt", "with space.txt"],
    ["../../etc/passwd", "passwd"],
    ["..\\..\\windows\\win.ini", "win.ini"],
    ["/absolute/path.txt", "path.txt"],
    ["..", "file"],
    [".", "file"],
    ["", "file"],
    ["   ", "file"],
    ["/", "file"],
    [".hidden", ".hidden"],
    ["nul\u0000byte.txt", "nulbyte.txt"],
    ["line\r\nX-Injected: yes.txt", "lineX-Injected: yes.txt"],
    ['quote".txt', 'quote".txt'],
    ["quote'.txt", "quote'.txt"],
    ["semi;colon=1.txt", "semi;colon=1.txt"],
    ["per%20cent%.txt", "per%20cent%.txt"],
    ["<script>alert(1)</script>.html", "script>.html"],
    ["invoice\u202Egpj.exe", "invoicegpj.exe"],
    ["a\u2066b\u2069c\u200Ed.txt", "abcd.txt"],
    ["\uFEFFbom.txt", "bom.txt"],
    ["naïve – Ünïcödé.txt", "naïve – Ünïcödé.txt"],
    ["日本語.txt", "日本語.txt"],
    ["👩‍🚀.png", "👩‍🚀.png"],
    ["عربى.txt", "عربى.txt"],
    ["CON", "CON"],
    ["__proto__", "__proto__"],
  ] as const) {
    test(`${JSON.stringify(sent)} becomes ${JSON.stringify(name)}`, () => {
      assert.equal(toFileName(sent), name);
    });
  }
});

describe("a relative path", () => {
  test("keeps its folders, without empty, `..` and drive segments", () => {
    assert.equal(toRelativePath("a/b c/d.txt"), "a/b c/d.txt");
    assert.equal(toRelativePath("a\\b\\c"), "a/b/c");
    assert.equal(toRelativePath("/a//b/"), "a/b");
    assert.equal(toRelativePath("C:\\a\\b"), "a/b");
    assert.equal(toRelativePath("/c:/a"), "a");
    assert.equal(toRelativePath("a/c:/b"), "a/c:/b");
    assert.equal(toRelativePath("../../a/./../b\u0000"), "a/b");
  });

  test("is null if no segment is left", () => {
    for (const path of ["", "/", "..", "../..", "\u0000"]) assert.equal(toRelativePath(path), null);
  });
});

describe("the keys of a name", () => {
  test("fold case and accents, and sort numbers by their value", () => {
    assert.equal(toSearchKey("Übersicht ÇA.PDF"), "ubersicht ca.pdf");
    const names = ["img 1", "IMG 2", "img 002b", "img 10", "Img 123456789", "img 1234567890", "img a", "ımg"];
    const sorted = names.toReversed().toSorted((one, other) => (toNameKeys(one).name_order < toNameKeys(other).name_order ? -1 : 1));
    assert.deepEqual(sorted, names);
  });
});
