import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { parseTypedSize, TYPED_SIZE_PATTERN } from "../../web/site/typed-size.ts";
import { LANGUAGES, type Language } from "../../web/texts/languages.ts";

const [KB, MB, GB] = [1024, 1024 ** 2, 1024 ** 3];

const SIZES: readonly (readonly [language: Language, text: string, bytes: number])[] = [
  ["en", "500", 500 * MB],
  ["en", "1.5", 1.5 * MB],
  ["en", "2 GB", 2 * GB],
  ["en", "2gb", 2 * GB],
  ["en", "2 GiB", 2 * GB],
  ["en", "0.500 GB", 0.5 * GB],
  ["en", "1.125 GB", 1.125 * GB],
  ["en", "1,000 MB", 1000 * MB],
  ["en", "1,5 GB", 1.5 * GB],
  ["en", " 20 MB ", 20 * MB],
  ["en", "500 bytes", 500],
  ["de", "1,5 GB", 1.5 * GB],
  ["de", "1,125 GB", 1.125 * GB],
  ["de", "1.000 MB", 1000 * MB],
  ["de", "500 Byte", 500],
  ["fr", "1,5\u00a0Go", 1.5 * GB],
  ["fr", "1\u202f000 Mo", 1000 * MB],
  ["fr", "250 ko", 250 * KB],
  ["fr", "500 octets", 500],
];

test("a size is read as people type it, in every language", () => {
  for (const [language, text, bytes] of SIZES) {
    assert.equal(parseTypedSize(text, language), bytes, `${language} ${text}`);
    assert.match(text, new RegExp(`^${TYPED_SIZE_PATTERN}$`, "v"), text);
  }
  for (const text of ["", "0", "-1", "much", "2 XB", "2 GBs", "1e9", "1,5,0", "0 bytes"])
    assert.equal(parseTypedSize(text, "en"), undefined, text);
});

test("a number without a unit has the unit of its field", () => {
  assert.equal(parseTypedSize("4096", "en", "B"), 4096);
});

test("a size that a page shows is accepted by the field, and read as that size", () => {
  for (const language of LANGUAGES)
    for (const bytes of [1, 500, KB, 10 * KB, MB, 1.5 * MB, 1000 * MB, 1023 * MB, 2 * GB, 2.3 * GB, 500 * GB]) {
      const shown = formatSize(bytes, language);
      assert.match(shown, new RegExp(`^${TYPED_SIZE_PATTERN}$`, "v"), shown);
      assert.equal(formatSize(parseTypedSize(shown, language) ?? 0, language), shown);
    }
});
