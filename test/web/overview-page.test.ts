import assert from "node:assert/strict";
import { test } from "node:test";
import { allPages } from "./pages.ts";

/** administration, "Overview". */
test("the results of the checks begin with failures, link to the pages that solve problems, and fold the passed checks", () => {
  const { adminOverview = "" } = allPages();
  const checks = adminOverview.slice(adminOverview.indexOf('id="checks"'));
  assert.deepEqual(
    [...checks.matchAll(/<h3[^>]*>([^<]+)<\/h3>/g)].map(([, title]) => title),
    ["Scanner", "Reports"],
  );
  assert.match(checks, /<a href="\/admin\/reports">Read the reports and decide<\/a>/);
  assert.doesNotMatch(checks, /filehost reports/);
  assert.match(checks, /<details class="attention-missing"><summary>1\scheck passed<\/summary>.*Database: responds.*<\/details>/);
});
