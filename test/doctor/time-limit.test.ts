import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { lookWithin } from "../../src/doctor/examine.ts";
import { type Check, type Finding, ok } from "../../src/doctor/finding.ts";

/** decisions, "Command line" (doctor). */

const subject = loadConfig({});

async function findingsOf(check: Check): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of lookWithin(check, subject)) findings.push(finding);
  return findings;
}

test("a look that does not end is a failure when its time is over; what it found and tidies up still counts", async () => {
  let isTidy = false;
  const findings = await findingsOf({
    what: "slow",
    limitMs: 50,
    async *look(_subject, signal) {
      try {
        yield ok("first", "is quick");
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("ended"))));
      } finally {
        isTidy = true;
      }
    },
  });
  assert.deepEqual(
    findings.map(({ status, what, detail }) => [status, what, detail]),
    [
      ["ok", "first", "is quick"],
      ["fail", "slow", "took longer than 0.05 s"],
    ],
  );
  assert.equal(isTidy, true);
});

test("a look that throws is a failure, in words", async () => {
  const [finding] = await findingsOf({
    what: "broken",
    limitMs: 1_000,
    // biome-ignore lint/correctness/useYield: it comes to none
    async *look() {
      throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    },
  });
  assert.deepEqual([finding?.status, finding?.detail], ["fail", "the disk reports an error (EIO)"]);
});
