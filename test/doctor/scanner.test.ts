import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { formatClamdAddress } from "../../src/scan/clamd-address.ts";
import { clamdMissing, startClamd } from "../support/clamd.ts";
import { makeFolder } from "../support/folder.ts";
import { assertFinding, consult, type Report } from "./support.ts";

/** decisions, "Scanning": doctor says so where nothing is scanned. */

async function consultScanner(env: Readonly<Record<string, string>>): Promise<Report> {
  await using folder = await makeFolder();
  return await consult(folder.path, { FILEHOST_SCANNER: "auto", ...env });
}

test("doctor says loudly that nothing is scanned, or what is missing where it should be", { timeout: 30_000 }, async () => {
  assertFinding((await consultScanner({ FILEHOST_SCANNER: "off" })).find("scanner"), "warn", /NOTHING IS SCANNED.*FILEHOST_SCANNER is off/);
  const required = await consultScanner({ FILEHOST_SCANNER: "clamd" });
  assertFinding(required.find("scanner"), "fail", /one is required/, /apt-get install clamav-daemon/);
  const path = join("/nonexistent", "clamd.sock");
  const gone = await consultScanner({ FILEHOST_CLAMD: `unix:${path}` });
  assertFinding(gone.find("scanner"), "fail", /clamd cannot be reached \(ENOENT\).*every file waits/, /systemctl restart clamav-daemon/);
  const refused = await consultScanner({ FILEHOST_CLAMD: "tcp:127.0.0.1:1" });
  assertFinding(refused.find("scanner"), "fail", /ECONNREFUSED/, /TCPSocket/);
});

describe("doctor on a clamd", { skip: clamdMissing ?? false }, () => {
  test("that works: its version, its signatures, and that it finds what it must", { timeout: 60_000 }, async () => {
    await using clamd = await startClamd({ settings: { StreamMaxLength: "25M", MaxFileSize: "100M", MaxScanSize: "400M" } });
    for (const address of [clamd.unix, clamd.tcp]) {
      const report = await consultScanner({ FILEHOST_CLAMD: formatClamdAddress(address) });
      assertFinding(report.find("scanner"), "ok", /^ClamAV \d.* at (unix|tcp):/);
      assertFinding(report.find("scanner test"), "ok", /end of a full window/);
      assertFinding(report.find("signatures"), "warn", /no official ones/, /freshclam/);
      assert.equal(report.code, 0);
    }
  });

  test("that does not look at all that it is sent", { timeout: 60_000 }, async () => {
    await using clamd = await startClamd({ settings: { StreamMaxLength: "25M", MaxFileSize: "10M" } });
    const report = await consultScanner({ FILEHOST_CLAMD: formatClamdAddress(clamd.unix) });
    assertFinding(report.find("scanner test"), "fail", /did not find the test pattern.*MaxFileSize/, /clamd\.conf/);
  });
});
