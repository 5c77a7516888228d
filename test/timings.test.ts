import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

const ROOT = join(import.meta.dirname, "..");

/**
 * A file may take one part in so many of the time of all files: 20 seconds of the 2,400 that four workers have in ten minutes. Not in seconds,
 * because a busy machine takes longer for every file.
 */
const SHARES = 120;

/** Files that may take more. */
const MAY_TAKE_LONGER: Readonly<Record<string, string>> = {
  "test/doctor/s3-store.test.ts": "starts the store that the other files share, and waits for one that hangs",
  "test/e2e/administration/administration.browser.test.ts": "tries each page of the administration",
  "test/e2e/client/client-down-limited.test.ts": "starts the client some sixty times: each case ends one and continues with another",
  "test/e2e/client/client-encrypt.test.ts": "derives keys of passphrases, which is slow by design, with the executable",
  "test/e2e/client/client-up-ends.test.ts": "starts the client some sixty times: each case ends one and continues with another",
  "test/e2e/client/help-examples.test.ts": "runs the executable for each example of each help",
  "test/e2e/api/every-caller.test.ts": "tries each operation by everybody who may not",
  "test/e2e/api/every-operation.test.ts": "tries each operation with bad input",
  "test/e2e/pages/every-page.test.ts": "tries each page by everybody who may not",
  "test/e2e/files/files-page.browser.test.ts": "deletes thousands of files, and is the most used page",
  "test/e2e/installation/installation-states.test.ts": "starts the server in each state",
  "test/e2e/mcp/mcp-fuzz.test.ts": "calls each tool with generated arguments",
};

const { files } = JSON.parse(readFileSync(join(import.meta.dirname, "timings.json"), "utf8")) as {
  files: Readonly<Record<string, number>>;
};
const existing = globSync("test/**/*.test.ts", { cwd: ROOT }).sort();

/** Checks the last measured run (`./scripts/test --slowest`), not this one: the load of a machine fails nothing. */
describe("test/timings.json", () => {
  test("has the duration of each file of tests, and of no other", () => {
    const missing = existing.filter((file) => !(file in files));
    const gone = Object.keys(files).filter((file) => !existing.includes(file));
    const advice = "Run ./scripts/test --slowest with the new files, and remove those that are gone.";
    assert.deepEqual({ missing, gone }, { missing: [], gone: [] }, advice);
  });

  test("has no file that takes more than its share of the time, unless it is named here with its reason", () => {
    const budgetMs = Object.values(files).reduce((sum, ms) => sum + ms, 0) / SHARES;
    const slow = Object.entries(files).filter(([file, ms]) => ms > budgetMs && !(file in MAY_TAKE_LONGER));
    const advice = `Make it cheaper, or give a part of its cases to --long: a file may take ${Math.round(budgetMs)} ms of this run.`;
    assert.deepEqual(slow, [], advice);
  });

  test("names no file that is gone among those that may take longer", () => {
    assert.deepEqual(
      Object.keys(MAY_TAKE_LONGER).filter((file) => !existing.includes(file)),
      [],
    );
  });
});
