import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { formatClamdAddress } from "../../src/scan/clamd/address.ts";
import { clamdMissing, startClamd } from "../support/clamd.ts";
import { makeFolder } from "../support/folder.ts";
import { describeUnless } from "../support/suite.ts";
import { assertResult, consult, type Report } from "./support.ts";

/** scanning, "Whether a scanner is required" and "Self-test". */

async function consultScanner(env: Readonly<Record<string, string>>): Promise<Report> {
  await using folder = await makeFolder();
  return await consult(folder.path, { FILEHOST_SCANNER: "auto", ...env });
}

test("doctor warns if scanning is off, and fails if a required scanner is missing", async () => {
  assertResult(
    (await consultScanner({ FILEHOST_SCANNER: "off" })).find("scanner"),
    "warn",
    /Malware scanning is off: FILEHOST_SCANNER is off/,
  );
  const required = await consultScanner({ FILEHOST_SCANNER: "clamd" });
  assertResult(required.find("scanner"), "fail", /a scanner is required/, /apt-get install clamav-daemon/);
  const path = join("/nonexistent", "clamd.sock");
  const gone = await consultScanner({ FILEHOST_CLAMD: `unix:${path}` });
  assertResult(gone.find("scanner"), "fail", /clamd cannot be reached \(ENOENT\).*every file waits/, /systemctl restart clamav-daemon/);
  const refused = await consultScanner({ FILEHOST_CLAMD: "tcp:127.0.0.1:1" });
  assertResult(refused.find("scanner"), "fail", /ECONNREFUSED/, /TCPSocket/);
});

describeUnless(clamdMissing, "doctor with a clamd", () => {
  test("reports the version and signatures of a working clamd, and passes the scanner test", async () => {
    await using clamd = await startClamd({ settings: { StreamMaxLength: "25M", MaxFileSize: "100M", MaxScanSize: "400M" } });
    for (const address of [clamd.unix, clamd.tcp]) {
      const report = await consultScanner({ FILEHOST_CLAMD: formatClamdAddress(address) });
      assertResult(report.find("scanner"), "ok", /^ClamAV \d.* at (unix|tcp):/);
      assertResult(report.find("scanner test"), "ok", /end of a full window/);
      assertResult(report.find("signatures"), "warn", /no official signatures/, /freshclam/);
      assert.equal(report.code, 0);
    }
  });

  test("fails if the clamd does not scan everything that it receives", async () => {
    await using clamd = await startClamd({ settings: { StreamMaxLength: "25M", MaxFileSize: "10M" } });
    const report = await consultScanner({ FILEHOST_CLAMD: formatClamdAddress(clamd.unix) });
    assertResult(report.find("scanner test"), "fail", /did not find the test pattern.*MaxFileSize/, /clamd\.conf/);
  });
});
