import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { eicarFile } from "../../../src/scan/eicar.ts";
import { type Relay, startRelay } from "../../scan/relay.ts";
import { longSkipped, stepSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { clamdMissing, joinClamd, type TestClamd } from "../../support/services/clamd.ts";
import { describeUnless } from "../../support/suite.ts";
import type { Upload } from "../support/api/api.ts";
import { killServerAt } from "../support/servers/crash.ts";
import { assertNothingLostOrLeft, eventsOf, waitForQuarantine } from "../support/servers/server-context.ts";
import { extendLeases, storedFiles, withDatabase } from "../support/servers/state.ts";
import { type CallPoint, straceMissing } from "../support/servers/strace.ts";
import { assertBlocked, untilHealthy, waitForScan, waitForScanStatus } from "../support/shares/scanning.ts";
import { sha256, someBytes } from "../support/uploads/multipart.ts";
import { downloadDigest, putFile } from "../support/uploads/transfers.ts";

/** model, "Transitions"; expiry, "Blocked files". */
describeUnless(clamdMissing ?? longSkipped, "a server killed during a scan", () => {
  let clamd: TestClamd;
  let relay: Relay;
  let server: TestServer;

  before(async () => {
    clamd = await joinClamd();
    relay = await startRelay(clamd.unix);
    server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    await relay[Symbol.asyncDispose]();
  });

  /** Uploads a file and withholds the scanner's verdict. */
  async function startScan(bytes: Uint8Array<ArrayBuffer>): Promise<Upload> {
    await untilHealthy(server);
    relay.holdResponses(true);
    const upload = await putFile(server, "/scanned.bin", bytes);
    await waitForScanStatus(server, upload.shortId, "scanning");
    return upload;
  }

  test("scans the file again after its restart and records one event", async () => {
    const bytes = someBytes(100_000, 1);
    const upload = await startScan(bytes);
    await server.kill("SIGKILL");
    relay.cut();
    relay.holdResponses(false);
    await withDatabase(server, (db) => extendLeases(db));
    await server.restart();
    assert.equal((await waitForScan(server, upload.shortId)).scanStatus, "clean");
    assert.deepEqual(
      (await eventsOf(server, upload.id)).map(({ type }) => type),
      ["file.ready"],
    );
    assert.equal(await downloadDigest(server, upload.id), sha256(bytes));
    await assertNothingLostOrLeft(server);
  });

  const points = ({ dataDir }: TestServer): Record<string, CallPoint> => ({
    "in the middle of writing the verdict": { call: "pwrite64", when: 2, path: join(dataDir, "filehost.db-wal") },
    "before the verdict is durable": { call: "fsync", when: 1, path: join(dataDir, "filehost.db-wal") },
    "before the bytes are moved to quarantine": { call: "rename", when: 1 },
    "before their folder is durable": { call: "fsync", when: 1, path: join(dataDir, "quarantine") },
    "before the move is recorded": { call: "fsync", when: 2, path: join(dataDir, "filehost.db-wal") },
    "before the job is done": { call: "fsync", when: 3, path: join(dataDir, "filehost.db-wal") },
  });

  test("moves a blocked file to quarantine and records one event, whichever step was interrupted", {
    skip: straceMissing,
    timeout: 600_000,
  }, async (t) => {
    for (const [index, [when, point]] of Object.entries(points(server)).entries()) {
      await t.test(`the server is killed ${when}`, { skip: stepSkipped(index) }, async () => {
        const bytes = someBytes(20_000, 10 + index);
        bytes.set(eicarFile(), 1000);
        const upload = await startScan(bytes);
        await killServerAt(server, point, async () => relay.holdResponses(false));
        assert.equal((await waitForScan(server, upload.shortId)).scanStatus, "unavailable");
        await assertBlocked(server, upload);
        const { scan_reason, blob_key } = await waitForQuarantine(server, upload.id);
        assert.equal(scan_reason, "infected");
        assert.deepEqual(
          (await storedFiles(server)).filter((path) => path.endsWith(blob_key)),
          [`quarantine/${blob_key}`],
        );
        await assertNothingLostOrLeft(server);
        assert.deepEqual(
          (await eventsOf(server, upload.id)).map(({ type }) => type),
          ["file.failed"],
        );
      });
    }
  });
});
