import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** The seconds that a file may take in a standard run of all tests on a quiet machine. */
const BUDGET_SECONDS = 20;

/** Files that may take longer, and why. */
const REASONS: Readonly<Record<string, string>> = {};

const timings: { readonly files: Readonly<Record<string, number>> } = JSON.parse(readFileSync("test/timings.json", "utf8"));
const files = globSync("test/**/*.test.ts");
const RENEW = "renew test/timings.json with ./scripts/test --slowest on a quiet machine";

test("each file of tests is within the budget, or is named here with its reason", () => {
  const slow = Object.entries(timings.files).filter(([, ms]) => ms > BUDGET_SECONDS * 1000);
  assert.deepEqual(
    slow.filter(([file]) => REASONS[file] === undefined).map(([file, ms]) => `${file}: ${Math.round(ms / 1000)} seconds`),
    [],
  );
  const slowFiles = slow.map(([file]) => file);
  assert.deepEqual(
    Object.keys(REASONS).filter((file) => !slowFiles.includes(file)),
    [],
    "these need no reason any more",
  );
});

test("each file of tests has a duration, and no other file", () => {
  const timed = Object.keys(timings.files);
  assert.deepEqual(
    files.filter((file) => !timed.includes(file)),
    [],
    RENEW,
  );
  assert.deepEqual(
    timed.filter((file) => !files.includes(file)),
    [],
    RENEW,
  );
});
