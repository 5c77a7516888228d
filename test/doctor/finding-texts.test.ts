import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { CHECK_SUBJECTS } from "../../src/contract/check-names.ts";

/** administration, "Overview". */

/** The subjects of several findings, with the number of their places in the code. Read a subject's text before you use it for another finding. */
const SHARED = {
  addressLocal: 3,
  clock: 3,
  contentHost: 2,
  contentHostUnreachable: 2,
  dataFolder: 5,
  databaseRefuses: 2,
  databaseUnreadable: 2,
  databaseVersion: 2,
  freeSpace: 2,
  mcp: 2,
  notRun: 2,
  payments: 5,
  s3Address: 2,
  s3Bucket: 2,
  s3Clock: 3,
  s3Downloads: 3,
  s3Key: 3,
  s3Lifecycle: 2,
  s3Unreachable: 2,
  scannerMissing: 2,
  scannerOff: 2,
  secretReplaced: 2,
  secretUnreadable: 2,
  storePair: 2,
};

const DOCTOR = "src/doctor";

/** The subjects of all findings in the code of the checks. */
async function listSubjects(): Promise<string[]> {
  const files = (await readdir(DOCTOR)).filter((name) => name !== "check-result.ts");
  const texts = await Promise.all(files.map((name) => readFile(join(DOCTOR, name), "utf8")));
  return texts.flatMap((text) => [
    ...[...text.matchAll(/\b(?:warn|fail|warn\))\(\s*(?:"[^"]*"|[\w.]+),\s*"(\w+)"/g)].map(([, subject = ""]) => subject),
    ...[...text.matchAll(/^\s*subject: "(\w+)"/gm)].map(([, subject = ""]) => subject),
  ]);
}

test("every finding has a text of its own, and shares one only with findings of the same cause", async () => {
  const counts = new Map<string, number>();
  for (const subject of await listSubjects()) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  assert.deepEqual([...counts.keys()].sort(), [...CHECK_SUBJECTS].sort());
  assert.deepEqual(
    Object.fromEntries([...counts].filter(([, count]) => count > 1).sort(([one], [other]) => (one < other ? -1 : 1))),
    SHARED,
  );
});
