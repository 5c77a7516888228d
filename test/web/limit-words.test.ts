import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSize } from "../../src/lib/text/parse-size.ts";
import { fromWords, toWords } from "../../web/admin/settings/limit-words.ts";
import { LANGUAGES } from "../../web/texts/languages.ts";

/** administration, "Settings". */
test("limits are shown in words, and their words stand for the same values, in each language", () => {
  assert.equal(toWords("en", "size", "1.5GB"), "1.5 GB");
  assert.equal(toWords("en", "duration", "3d"), "3 days");
  assert.equal(toWords("de", "duration", "1d"), "1 Tag");
  assert.equal(toWords("fr", "duration", "12h"), "12 heures");
  assert.deepEqual(
    LANGUAGES.map((language) => toWords(language, "count", "1000000")),
    ["1,000,000", "1.000.000", "1 000 000"],
  );
  for (const language of LANGUAGES)
    for (const value of ["60", "999", "1000", "1000000"])
      assert.equal(fromWords(language, "count", toWords(language, "count", value)), value);
  for (const language of LANGUAGES)
    for (const value of ["1d", "90d", "1h", "12h", "1m", "5m", "30s"])
      assert.equal(fromWords(language, "duration", toWords(language, "duration", value)), value);
  for (const words of ["2 GB", "2GB", "2 gb", "2,048 MB", "2147483648"]) assert.equal(fromWords("en", "size", words), "2147483648B");
  for (const language of LANGUAGES)
    for (const value of ["500MB", "1.5GB", "1000MB", "1.12GB"])
      assert.equal(parseSize(fromWords(language, "size", toWords(language, "size", value))), parseSize(value), value);
});

test("other texts of limits stay as they are", () => {
  for (const kind of ["count", "text"] as const) assert.equal(fromWords("en", kind, "3 days"), "3 days");
  for (const words of ["1.5", "1,00", "1000.000", "12,34,567"]) assert.equal(fromWords("en", "count", words), words);
  for (const words of ["", "very long", "3 years", "2w", "days"]) assert.equal(fromWords("en", "duration", words), words);
});
