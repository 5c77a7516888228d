import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { parseTypedSize, TYPED_SIZE_PATTERN } from "../../web/requests/typed-size.ts";

const [KB, MB, GB] = [1024, 1024 ** 2, 1024 ** 3];

const SIZES: readonly (readonly [text: string, bytes: number])[] = [
  ["500", 500 * MB],
  ["1.5", 1.5 * MB],
  ["2 GB", 2 * GB],
  ["2gb", 2 * GB],
  ["2 GiB", 2 * GB],
  ["1,5 Go", 1.5 * GB],
  ["1,5\u00a0Go", 1.5 * GB],
  ["250 ko", 250 * KB],
  ["1,000 MB", 1000 * MB],
  ["1.000 MB", 1000 * MB],
  ["1\u202f000 Mo", 1000 * MB],
  [" 20 MB ", 20 * MB],
];

test("a size is read as people type it, in every language", () => {
  for (const [text, bytes] of SIZES) {
    assert.equal(parseTypedSize(text), bytes, text);
    assert.match(text, new RegExp(`^${TYPED_SIZE_PATTERN}$`, "v"), text);
  }
  for (const text of ["", "0", "-1", "much", "2 XB", "2 GBs", "1e9", "1,5,0"]) assert.equal(parseTypedSize(text), undefined, text);
});

test("a size that a page shows is read as that size", () => {
  for (const language of ["en", "de", "fr"])
    for (const bytes of [KB, 10 * KB, MB, 1.5 * MB, 1000 * MB, 1023 * MB, 2 * GB, 2.3 * GB, 500 * GB]) {
      const shown = formatSize(bytes, language);
      assert.equal(formatSize(parseTypedSize(shown) ?? 0, language), shown);
    }
});
