import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedLanguage } from "../../../src/http/responding/page-context.ts";

/** pages, "Languages". */
test("the language of a page is the one of the site that the request prefers", () => {
  const cases = {
    "": "en",
    "*": "en",
    "de-AT,de;q=0.9,en;q=0.8": "de",
    "it,fr;q=0.5,en;q=0.9": "en",
    "nl, FR-ca ;q=0.3": "fr",
    "de;q=0, fr;q=0.1": "fr",
    "ja, zh": "en",
    "de;q=x": "en",
  };
  for (const [accepted, language] of Object.entries(cases)) assert.equal(acceptedLanguage(accepted), language, accepted);
});
