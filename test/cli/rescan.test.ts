import assert from "node:assert/strict";
import { it } from "node:test";
import { eicarFile } from "../../src/scan/eicar.ts";
import type { RescanReport } from "../../src/service/scanning/rescan.ts";
import { clamdMissing, joinClamd, startClamd, type TestClamd } from "../support/clamd.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { describeUnless } from "../support/suite.ts";
import { until } from "../support/until.ts";
import { run, runJson } from "./support.ts";

interface Uploaded {
  readonly id: string;
  readonly shortId: string;
}

const addressOf = (clamd: TestClamd): string => (clamd.unix.kind === "unix" ? `unix:${clamd.unix.path}` : "");

const serve = (clamd: TestClamd, env: Readonly<Record<string, string>> = {}) =>
  startServer({ env: { FILEHOST_CLAMD: addressOf(clamd), FILEHOST_MIN_FREE: "1MB", ...env } });

async function upload(server: TestServer, body: BodyInit): Promise<Uploaded> {
  const response = await fetch(`${server.url}/file.bin`, { method: "PUT", body, headers: { accept: "application/json" } });
  assert.equal(response.status, 200);
  return ((await response.json()) as { data: Uploaded }).data;
}

async function scanStatus(server: TestServer, file: Uploaded): Promise<string> {
  const response = await fetch(`${server.url}/api/files/share/${file.shortId}`);
  return ((await response.json()) as { scanStatus: string }).scanStatus;
}

const reaches = (server: TestServer, file: Uploaded, status: string) =>
  until(`${file.id} is ${status}`, async () => (await scanStatus(server, file)) === status);

/** command line, "Commands"; scanning, "When the scanner is unavailable". */
describeUnless(clamdMissing, "rescan", () => {
  it("scans a named clean file again, and an infected one, which returns to quarantine", async () => {
    const clamd = await joinClamd();
    await using server = await serve(clamd);
    const env = { FILEHOST_DATA: server.dataDir, FILEHOST_CLAMD: addressOf(clamd) };
    const clean = await upload(server, "harmless");
    const infected = await upload(server, new Uint8Array(eicarFile()));
    await reaches(server, clean, "clean");
    await reaches(server, infected, "unavailable");
    const inQuarantine = async () => JSON.stringify(await runJson(["audit"], env)) === JSON.stringify({ missing: [], orphans: [] });
    await until("the infected file is in quarantine", inQuarantine);

    // Without a scanner, the malware would not be found again.
    const refused = await run(["rescan", infected.id, "--json", "--scanner", "off"], { FILEHOST_DATA: server.dataDir });
    assert.equal(refused.code, 6);
    assert.match(refused.stdout, /malware was found, and there is no scanner/);

    for (const file of [clean, infected]) {
      const report = await runJson<RescanReport>(["rescan", file.shortId], env);
      assert.deepEqual(report, { queued: [{ id: file.id, shortId: file.shortId, name: "file.bin" }], skipped: [] });
    }
    await reaches(server, clean, "clean");
    await reaches(server, infected, "unavailable");
    await until("the infected file is in quarantine", inQuarantine);
    assert.equal((await fetch(`${server.url}/api/files/download/${infected.id}`)).status, 404);
    assert.equal((await fetch(`${server.url}/api/files/download/${clean.id}`)).status, 200);
    assert.equal((await run(["rescan", "4kTqW9xZ"], env)).code, 4);
    assert.deepEqual(await runJson(["rescan", "--all-failed"], env), { queued: [], skipped: [] });
  });

  it("scans all files again whose scan failed", async () => {
    await using clamd = await startClamd({ settings: { StreamMaxLength: "4M" } });
    await using server = await serve(clamd, { FILEHOST_SCAN_OVERSIZE: "block" });
    const env = { FILEHOST_DATA: server.dataDir, FILEHOST_CLAMD: addressOf(clamd) };
    const files = [await upload(server, new Uint8Array(6_000_000)), await upload(server, new Uint8Array(7_000_000))];
    for (const file of files) await reaches(server, file, "unavailable");
    await clamd.restart({ StreamMaxLength: "100M" });
    // The detected limit is stored; a server that scans in windows scans complete files of any size.
    await server.restart({ env: { FILEHOST_SCAN_OVERSIZE: "windows" } });
    const report = await runJson<RescanReport>(["rescan"], env);
    assert.deepEqual(report.queued.map(({ id }) => id).sort(), files.map(({ id }) => id).sort());
    assert.deepEqual(report.skipped, []);
    for (const file of files) await reaches(server, file, "clean");
    for (const words of [["rescan", "--all-failed"], ["rescan"]]) assert.deepEqual(await runJson(words, env), { queued: [], skipped: [] });
    assert.equal((await run(["rescan", files[0]?.id ?? "", "--all-failed"], env)).code, 2);
  });
});
