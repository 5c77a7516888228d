import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogue } from "../../web/texts/catalogue.ts";
import { LANGUAGES } from "../../web/texts/languages.ts";
import { allPages } from "./pages.ts";

/** The types whose empty fields have a sentence for all of them. */
const WITH_OWN_TEXT = new Set(["email", "url", "password", "file", "radio", "checkbox"]);

/** pages, "Forms". */
test("an empty field of each form says what to enter, in each language", () => {
  const names = new Set<string>();
  for (const html of Object.values(allPages()))
    for (const [field] of html.matchAll(/<(?:input|textarea)\b[^>]*\srequired\b[^>]*>/g)) {
      const { type = "text", name = "" } = Object.fromEntries(
        [...field.matchAll(/\s(type|name)="(\w+)"/g)].map(([, key, value]) => [key, value]),
      );
      if (!WITH_OWN_TEXT.has(type)) names.add(name);
    }
  assert.ok(names.size > 5);
  for (const language of LANGUAGES) {
    const { missing } = catalogue[language].fieldErrors;
    assert.deepEqual(
      [...names].filter((name) => missing[name] === undefined),
      [],
      language,
    );
  }
});
