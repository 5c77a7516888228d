import assert from "node:assert/strict";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { HOUR_MS } from "../../../src/lib/text/duration.ts";
import { findClamdSocket, formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { startRelay } from "../../scan/relay.ts";
import { clamdMissing, startClamd, type TestClamd } from "../../support/clamd.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getShare, type Upload } from "../support/api.ts";
import { MB, sha256, someBytes } from "../support/multipart.ts";
import { assertBlocked, assertPending, getHealth, untilHealthy, waitForScan, waitForScanStatus } from "../support/scanning.ts";
import { eventsOf, findFile } from "../support/server-context.ts";
import { makeJobsDue, storedFiles, withDatabase } from "../support/state.ts";
import { downloadDigest, putFile } from "../support/transfers.ts";

const typesOf = async (server: TestServer, { id }: Upload): Promise<string[]> => (await eventsOf(server, id)).map(({ type }) => type);

/** Waits until a scan of the file has failed. */
async function waitForFailedScan(server: TestServer, { id }: Upload): Promise<void> {
  await until("a scan has failed", () =>
    withDatabase(server, async (db) => {
      const job = await db
        .selectFrom("jobs")
        .select("last_error")
        .where("subject", "=", id)
        .where("lease_holder", "is", null)
        .executeTakeFirst();
      return job?.last_error;
    }),
  );
}

/** Makes the file as old as `ageMs` and its scan due. */
async function makeOlder(server: TestServer, { id }: Upload, ageMs: number): Promise<void> {
  await withDatabase(server, async (db) => {
    await db
      .updateTable("files")
      .set({ created_at: Date.now() - ageMs })
      .where("id", "=", id)
      .execute();
    await db.updateTable("jobs").set({ run_at: 0 }).where("subject", "=", id).execute();
  });
}

function temporaryFolder({ unix }: TestClamd): string {
  assert.ok(unix.kind === "unix");
  return join(dirname(unix.path), "tmp");
}

/** scanning, "Whether a scanner is required", "Coverage", "Self-test" and "When the scanner is unavailable". */
describeUnless(clamdMissing, "a required scanner", () => {
  test("files stay unscanned while the scanner is down, fail after an hour, and are scanned when it runs again", async () => {
    await using clamd = await startClamd();
    await using relay = await startRelay(clamd.unix);
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
    await untilHealthy(server);
    const killed = new Promise<void>((resolve) => relay.onBytes(MB, () => resolve(clamd.kill())));
    const bytes = someBytes(8 * MB, 1);
    const during = await putFile(server, "/during.bin", bytes);
    await killed;
    await waitForFailedScan(server, during);
    const afterwards = await putFile(server, "/afterwards.bin", someBytes(1000, 2));
    const late = await putFile(server, "/late.bin", someBytes(1000, 3));
    await waitForFailedScan(server, afterwards);
    await waitForFailedScan(server, late);
    for (const { id } of [during, afterwards, late]) await assertPending(server, id);
    const { status, body } = await getHealth(server);
    assert.deepEqual([status, body.status, body.checks.scanner.ok, body.checks.scanner.mode], [503, "degraded", false, "clamd"]);
    assert.match(body.checks.scanner.reason ?? "", /clamd cannot be reached|does not respond/);
    assert.doesNotMatch(body.checks.scanner.reason ?? "", /\/|127\.0\.0\.1/);

    await makeOlder(server, late, HOUR_MS);
    await waitForScanStatus(server, late.shortId, "unavailable");
    await assertBlocked(server, late);
    assert.equal((await findFile(server, late.id))?.scan_reason, "scan_failed");
    assert.equal((await storedFiles(server)).filter((path) => path.startsWith("blobs/")).length, 3);
    assert.deepEqual(await typesOf(server, late), ["file.failed"]);

    await clamd.restart();
    for (const { shortId } of [during, afterwards]) assert.equal((await waitForScan(server, shortId, 60_000)).scanStatus, "clean");
    await until("the failed file is clean", async () => (await getShare(server, late.shortId)).scanStatus === "clean");
    assert.deepEqual(await typesOf(server, during), ["file.ready"]);
    assert.deepEqual(await typesOf(server, late), ["file.failed", "file.ready"]);
    assert.equal(await downloadDigest(server, during.id), sha256(bytes));
  });

  test("files wait if the scanner is absent when the server starts, and are scanned when it is available", async () => {
    await using clamd = await startClamd();
    await clamd.kill();
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(clamd.unix) } });
    const upload = await putFile(server, "/early.bin", someBytes(1000, 4));
    await waitForFailedScan(server, upload);
    await assertPending(server, upload.id);
    await clamd.restart();
    await withDatabase(server, makeJobsDue);
    assert.equal((await waitForScan(server, upload.shortId, 45_000)).scanStatus, "clean");
    assert.deepEqual(await typesOf(server, upload), ["file.ready"]);
  });

  test("files wait if the scanner reports an error, and are scanned when the error is fixed", async () => {
    await using clamd = await startClamd();
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(clamd.unix) } });
    await untilHealthy(server);
    await rm(temporaryFolder(clamd), { recursive: true });
    const upload = await putFile(server, "/unlucky.bin", someBytes(1000, 5));
    await waitForFailedScan(server, upload);
    await assertPending(server, upload.id);
    await mkdir(temporaryFolder(clamd));
    await withDatabase(server, makeJobsDue);
    assert.equal((await waitForScan(server, upload.shortId, 45_000)).scanStatus, "clean");
    assert.deepEqual(await typesOf(server, upload), ["file.ready"]);
  });

  test("clamd counts as unavailable if its MaxFileSize is below its stream limit", async () => {
    await using clamd = await startClamd({ settings: { StreamMaxLength: "25M", MaxFileSize: "1M" } });
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(clamd.unix) } });
    const upload = await putFile(server, "/large.bin", someBytes(3 * MB, 6));
    await waitForFailedScan(server, upload);
    await assertPending(server, upload.id);
    const { status, body } = await getHealth(server);
    assert.deepEqual([status, body.status, body.checks.scanner.selfTest], [503, "degraded", false]);
    assert.match(body.checks.scanner.reason ?? "", /MaxFileSize/);
  });

  test("a file too large for one scan fails without windows, keeps its bytes, and becomes clean by a rescan with windows", async () => {
    await using clamd = await startClamd({ settings: { StreamMaxLength: "4M" } });
    const env = { FILEHOST_CLAMD: formatClamdAddress(clamd.unix), FILEHOST_SCAN_OVERSIZE: "block" };
    await using server = await startServer({ env });
    const bytes = someBytes(5 * MB, 8);
    const upload = await putFile(server, "/large.bin", bytes);
    assert.equal((await waitForScan(server, upload.shortId)).scanStatus, "unavailable");
    await assertBlocked(server, upload);
    const row = await findFile(server, upload.id);
    assert.deepEqual([row?.scan_reason, row?.blob_state], ["scan_failed", "stored"]);
    await server.restart({ env: { FILEHOST_SCAN_OVERSIZE: "windows" } });
    assert.equal((await server.run(["rescan", upload.id])).code, 0);
    await waitForScanStatus(server, upload.shortId, "clean");
    assert.equal(await downloadDigest(server, upload.id), sha256(bytes));
    assert.deepEqual(await typesOf(server, upload), ["file.failed", "file.ready", "file.authorized"]);
  });

  test("health responds although the scanner does not, and nothing becomes clean", async () => {
    await using clamd = await startClamd();
    await using relay = await startRelay(clamd.unix);
    relay.holdResponses(true);
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
    const upload = await putFile(server, "/waiting.bin", someBytes(1000, 7));
    const { status, body } = await getHealth(server);
    assert.deepEqual([status, body.checks.scanner.ok], [503, false]);
    await assertPending(server, upload.id);
  });
});

describe("FILEHOST_SCANNER=auto", async () => {
  const found = await findClamdSocket();
  const skip = found ? "this machine has a clamd where auto looks for one" : clamdMissing;

  test("files are clean immediately but not scanned until a scanner was seen, which is then required", {
    skip,
  }, async () => {
    await using server = await startServer();
    const warned = server.logs().find(({ msg }) => /Malware scanning is off/.test(msg ?? ""));
    assert.equal(warned?.level, "warn");
    const unscanned = await putFile(server, "/unscanned.bin", someBytes(1000, 8));
    assert.equal(unscanned.scanStatus, "clean");
    assert.equal((await getShare(server, unscanned.shortId)).scanned, false);
    const { status, body } = await getHealth(server);
    assert.deepEqual([status, body.checks.scanner.ok, body.checks.scanner.mode], [200, true, "none"]);
    assert.match(body.checks.scanner.reason ?? "", /Malware scanning is off/);

    await using clamd = await startClamd();
    await server.restart({ env: { FILEHOST_CLAMD: formatClamdAddress(clamd.unix) } });
    const scanned = await putFile(server, "/scanned.bin", someBytes(1000, 9));
    const { scanStatus, scanned: isScanned } = await waitForScan(server, scanned.shortId);
    assert.deepEqual({ scanStatus, isScanned }, { scanStatus: "clean", isScanned: true });

    await clamd.kill();
    await server.restart({ env: { FILEHOST_CLAMD: "" } });
    const waiting = await putFile(server, "/waiting.bin", someBytes(1000, 10));
    assert.equal(waiting.scanStatus, "pending");
    await waitForFailedScan(server, waiting);
    await assertPending(server, waiting.id);
    assert.deepEqual([(await getHealth(server)).status, (await getHealth(server)).body.checks.scanner.mode], [503, "clamd"]);
  });
});
