import assert from "node:assert/strict";
import { test } from "node:test";
import { allPages } from "./pages.ts";

/** limits, "Tiers". */
test("the usage says how long files stay: for a time, or as long as the account has Pro", () => {
  const { settingsUsage = "", settingsUsageFull = "" } = allPages();
  assert.match(settingsUsage, /Longest time to keep<\/dt><dd>7\sdays/);
  assert.match(settingsUsageFull, /Longest time to keep<\/dt><dd>For as long as you have Pro/);
});
