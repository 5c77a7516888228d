import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toFileName, toRelativePath, toSingleLine } from "../../../src/lib/text/file-name.ts";
import { toLocalSegment } from "../../../src/lib/text/local-segment.ts";
import { toSafeSegment } from "../../../src/lib/text/safe-segment.ts";
import { toDecryptedPath, toShownName } from "../../../src/transfer/encryption/decrypted-name.ts";
import { fullName, toFolderName, visibleText } from "../../../web/site/format.ts";

/** Texts that are drawn as nothing, by their kind. */
const UNSEEN = {
  "tag characters": "\u{e0041}\u{e0020}\u{e007f}",
  "reserved ignorable characters": "\u{e0fff}\ufff0",
  "Hangul fillers": "\u115f\u1160\u3164\uffa0",
  "variation selectors": "\ufe0f\u{e0100}\u180b",
  "zero-width characters": "\u200b\u200c\u200d\u2060\ufeff",
  "the soft hyphen and the grapheme joiner": "\u00ad\u034f",
  spaces: " \u00a0\u3000\u2003",
  "the blank Braille pattern": "\u2800",
};

/** uploads, "Name and type"; encryption, "Names of decrypted files". */
describe("names in which nothing is visible", () => {
  for (const [kind, name] of Object.entries(UNSEEN))
    test(`are stored, shown and saved as something visible if they have only ${kind}`, () => {
      assert.equal(toFileName(name), "file");
      assert.equal(toRelativePath(`docs/${name}/a.txt`), "docs/a.txt");
      assert.equal(toSingleLine(name), "");
      assert.equal(toSafeSegment(`docs/${name}/${name}`), "docs/_/_");
      assert.equal(toLocalSegment(`docs/${name}`, "linux"), "docs/_");
      assert.equal(toDecryptedPath(name), "file");
      assert.equal(toDecryptedPath(`docs/${name}/a.txt`), "docs/a.txt");
      assert.equal(toShownName(name), "file");
      assert.equal(fullName(name), "_");
      assert.equal(toFolderName(`docs/${name}`), "docs / _");
      assert.equal(visibleText(name), "");
    });

  test("keep such characters beside visible ones", () => {
    for (const name of ["\u{1f468}\u200d\u{1f469}\u200d\u{1f467}.png", "❤\ufe0f.txt", "نامه\u200cها.txt"]) {
      assert.equal(toFileName(name), name);
      assert.equal(toSafeSegment(name), name);
    }
  });
});
