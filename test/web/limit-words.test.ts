import assert from "node:assert/strict";
import { test } from "node:test";
import { fromWords, toWords } from "../../web/admin/settings/limit-words.ts";
import { LANGUAGES } from "../../web/texts/languages.ts";

/** administration, "Settings". */
test("limits are shown in words, and their words stand for the same values, in each language", () => {
  assert.equal(toWords("en", "size", "1.5GB"), "1.5 GB");
  assert.equal(toWords("en", "duration", "3d"), "3 days");
  assert.equal(toWords("de", "duration", "1d"), "1 Tag");
  assert.equal(toWords("fr", "duration", "12h"), "12 heures");
  for (const language of LANGUAGES)
    for (const value of ["1d", "90d", "1h", "12h", "1m", "5m", "30s"])
      assert.equal(fromWords("duration", toWords(language, "duration", value)), value);
  for (const words of ["2 GB", "2GB", "2 gb"]) assert.equal(fromWords("size", words).toUpperCase(), "2GB");
  assert.equal(fromWords("size", "1,5 GB"), "1.5GB");
  for (const language of LANGUAGES) assert.equal(fromWords("size", toWords(language, "size", "500MB")), "500MB");
});

test("other texts of limits stay as they are", () => {
  for (const kind of ["count", "text"] as const) assert.equal(fromWords(kind, "3 days"), "3 days");
  for (const words of ["", "very long", "3 years", "2w", "days"]) assert.equal(fromWords("duration", words), words);
});
