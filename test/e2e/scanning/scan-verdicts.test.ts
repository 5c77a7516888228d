import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { findServerState } from "../../../src/db/server-state.ts";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { eicarFile } from "../../../src/scan/eicar.ts";
import { startRelay } from "../../scan/relay.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { clamdMissing, type OwnClamd, startClamd } from "../../support/services/clamd.ts";
import { describeUnless } from "../../support/suite.ts";
import { getShare, type Upload } from "../support/api/api.ts";
import { eventsOf, findFile, waitForQuarantine, withServerContext } from "../support/servers/server-context.ts";
import { storedFiles } from "../support/servers/state.ts";
import { assertBlocked, assertPending, readPage, untilHealthy, waitForScan, waitForScanStatus, zipOf } from "../support/shares/scanning.ts";
import { complete, init, MB, sendParts, sha256, someBytes, uploadInParts } from "../support/uploads/multipart.ts";
import { atServer, downloadDigest, putFile } from "../support/uploads/transfers.ts";

/** Bytes that were not scanned before, with the EICAR pattern in them. */
function withEicar(sizeBytes: number, at: number, seed: number): Uint8Array<ArrayBuffer> {
  const bytes = someBytes(sizeBytes, seed);
  bytes.set(eicarFile(), at);
  return bytes;
}

async function assertQuarantined(server: TestServer, upload: Upload): Promise<void> {
  const { scanStatus } = await waitForScan(server, upload.shortId);
  assert.equal(scanStatus, "unavailable");
  await assertBlocked(server, upload);
  const { scan_reason, status, blob_key } = await waitForQuarantine(server, upload.id);
  assert.deepEqual({ scan_reason, status }, { scan_reason: "infected", status: "active" });
  assert.deepEqual(
    (await storedFiles(server)).filter((path) => path.endsWith(blob_key)),
    [`quarantine/${blob_key}`],
  );
  const events = await eventsOf(server, upload.id);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["file.failed"],
  );
  const data: unknown = JSON.parse(events[0]?.data ?? "");
  const { name, size, mimeType } = upload;
  assert.deepEqual(data, {
    fileId: upload.id,
    shortId: upload.shortId,
    name,
    size,
    mimeType,
    sharePath: upload.sharePath,
    reason: "infected",
  });
  assert.equal((await fetch(atServer(server, upload.url))).status, 404);
}

/** model, "Scan status"; scanning, "Coverage"; expiry, "Blocked files"; uploads, "Expected digests". */
describeUnless(clamdMissing, "verdicts of a real clamd", () => {
  let clamd: OwnClamd;
  let server: TestServer;

  before(async () => {
    clamd = await startClamd({ settings: { StreamMaxLength: "4M" } });
    server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(clamd.unix) } });
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    await clamd[Symbol.asyncDispose]();
  });

  test("a file is pending, scanning, then clean, in the API, on the page and in downloads", async () => {
    await using relay = await startRelay(clamd.unix);
    await using watched = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
    await untilHealthy(watched);
    relay.holdResponses(true);
    const bytes = someBytes(200_000, 1);
    const upload = await putFile(watched, "/report.bin", bytes);
    assert.equal(upload.scanStatus, "pending");
    await waitForScanStatus(watched, upload.shortId, "scanning");
    await assertPending(watched, upload.id);
    assert.equal((await fetch(atServer(watched, upload.url))).status, 409);
    const page = await readPage(watched, upload.shortId);
    assert.equal(page.status, 200);
    assert.match(page.html, /data-state="scanning"/);
    relay.holdResponses(false);
    const { scanStatus, scanned, sha256: digest } = await waitForScan(watched, upload.shortId);
    assert.deepEqual({ scanStatus, scanned, digest }, { scanStatus: "clean", scanned: true, digest: sha256(bytes) });
    assert.match((await readPage(watched, upload.shortId)).html, /data-state="scanned"/);
    assert.equal(await downloadDigest(watched, upload.id), sha256(bytes));
    assert.deepEqual(
      (await eventsOf(watched, upload.id)).map(({ type }) => type),
      ["file.ready", "file.authorized"],
    );
    assert.equal((await findFile(watched, upload.id))?.scan_coverage, "whole");
  });

  test("the EICAR test file is blocked and quarantined, over a unix socket and over TCP", async () => {
    await assertQuarantined(server, await putFile(server, "/virus.bin", withEicar(50_000, 1000, 2)));
    await using overTcp = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(clamd.tcp) } });
    await assertQuarantined(overTcp, await putFile(overTcp, "/virus.bin", withEicar(50_000, 1000, 3)));
  });

  test("the EICAR pattern is found inside a ZIP", async () => {
    const zip = zipOf("letter.txt", withEicar(10_000, 5000, 4));
    assert.equal(Buffer.from(zip).includes(eicarFile()), false);
    await assertQuarantined(server, await putFile(server, "/archive.zip", zip));
  });

  test("the EICAR pattern is found across two parts of an upload", async () => {
    const bytes = withEicar(2 * MB + 5, MB - 30, 5);
    await assertQuarantined(server, await uploadInParts(server, bytes, { partSize: MB }));
  });

  test("the EICAR pattern is found across two windows, and a clean file of several windows is `windowed`", async () => {
    const windowBytes = Number(await withServerContext(server, (ctx) => findServerState(ctx.db, "scanner_window_bytes")));
    assert.ok(windowBytes > MB && windowBytes <= 4 * MB, `${windowBytes}`);
    await assertQuarantined(server, await putFile(server, "/large.bin", withEicar(3 * windowBytes, windowBytes - 30, 6)));
    const clean = someBytes(2 * windowBytes + 77, 7);
    const upload = await putFile(server, "/clean.bin", clean);
    assert.equal((await waitForScan(server, upload.shortId)).scanStatus, "clean");
    assert.equal((await findFile(server, upload.id))?.scan_coverage, "windowed");
    assert.equal((await waitForScan(server, upload.shortId)).scanCoverage, "windowed");
    assert.equal(await downloadDigest(server, upload.id), sha256(clean));
  });

  test("a file that differs from its expected SHA-256 never becomes clean, with a scanner or without", async () => {
    await using unscanned = await startServer({ env: { FILEHOST_SCANNER: "off" } });
    for (const [index, host] of [server, unscanned].entries()) {
      const bytes = someBytes(2 * MB, 20 + index);
      const right = await uploadInParts(host, bytes, { partSize: MB, sha256: sha256(bytes) });
      assert.equal((await waitForScan(host, right.shortId)).scanStatus, "clean");
      const session = await init(host, { fileSize: bytes.length, partSize: MB, sha256: sha256(someBytes(1, 1)) });
      await sendParts(host, session, bytes);
      const file = await complete(host, session);
      assert.notEqual(file.scanStatus, "clean");
      assert.equal((await waitForScan(host, session.shortId)).scanStatus, "unavailable");
      await assertBlocked(host, file, /This file arrived damaged/);
      const events = await eventsOf(host, file.id);
      assert.deepEqual(
        events.map(({ type, data }) => [type, JSON.parse(data).reason]),
        [["file.failed", "scan_failed"]],
      );
      assert.equal((await getShare(host, right.shortId)).sha256, sha256(bytes));
    }
  });
});
