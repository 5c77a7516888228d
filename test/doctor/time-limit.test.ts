import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { type Check, type CheckResult, ok } from "../../src/doctor/check-result.ts";
import { runCheck } from "../../src/doctor/run-checks.ts";

/** command line, "Commands" (doctor). */

const loaded = loadConfig({});

async function collectResults(check: Check): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for await (const result of runCheck(check, loaded)) results.push(result);
  return results;
}

test("fails a check at its time limit, keeps the results before it and runs its cleanup", async () => {
  let isTidy = false;
  const results = await collectResults({
    what: "server",
    timeoutMs: 50,
    async *run(_subject, signal) {
      try {
        yield ok("mail", "is quick");
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("ended"))));
      } finally {
        isTidy = true;
      }
    },
  });
  assert.deepEqual(
    results.map(({ status, what, subject, detail }) => [status, what, subject, detail]),
    [
      ["ok", "mail", "mail", "is quick"],
      ["fail", "server", "notRun", "took longer than 0.05 s"],
    ],
  );
  assert.equal(isTidy, true);
});

test("the doctor reports a thrown error as a failure, in words", async () => {
  const [result] = await collectResults({
    what: "memory",
    timeoutMs: 1_000,
    // biome-ignore lint/correctness/useYield: it throws before the first result
    async *run() {
      throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    },
  });
  assert.deepEqual([result?.status, result?.subject, result?.detail], ["fail", "notRun", "the disk reports an error (EIO)"]);
});
