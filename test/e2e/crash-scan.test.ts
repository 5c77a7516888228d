import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { formatClamdAddress } from "../../src/scan/clamd-address.ts";
import { eicar } from "../../src/scan/self-test.ts";
import { type Relay, startRelay } from "../scan/relay.ts";
import { clamdMissing, startClamd, type TestClamd } from "../support/clamd.ts";
import { startServer, type TestServer } from "../support/server.ts";
import type { Upload } from "./support/api.ts";
import { dieAt } from "./support/crash.ts";
import { assertNothingLostOrLeft, eventsOf, putAside } from "./support/inside.ts";
import { sha256, someBytes } from "./support/multipart.ts";
import { assertBlocked, checked, health, untilStatus } from "./support/scanning.ts";
import { storedFiles } from "./support/state.ts";
import { type CallPoint, straceMissing } from "./support/strace.ts";
import { downloadDigest, putFile } from "./support/transfers.ts";

/** interface, "Safety-check status"; decisions, "Scanning". */
describe("a server killed during a scan", { skip: clamdMissing }, () => {
  let clamd: TestClamd;
  let relay: Relay;
  let server: TestServer;

  before(async () => {
    clamd = await startClamd();
    relay = await startRelay(clamd.unix);
    server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    await relay[Symbol.asyncDispose]();
    await clamd[Symbol.asyncDispose]();
  });

  /** Uploads, and holds the scanner's verdict back. */
  async function beginScan(bytes: Uint8Array<ArrayBuffer>): Promise<Upload> {
    assert.equal((await health(server)).status, 200);
    relay.holdAnswers(true);
    const upload = await putFile(server, "/scanned.bin", bytes);
    await untilStatus(server, upload.shortId, "scanning");
    return upload;
  }

  test("the scan begins again as soon as a server is there, and tells once", { timeout: 30_000 }, async () => {
    const bytes = someBytes(100_000, 1);
    const upload = await beginScan(bytes);
    await server.kill("SIGKILL");
    relay.cut();
    relay.holdAnswers(false);
    const startedAtMs = performance.now();
    await server.restart();
    assert.equal((await checked(server, upload.shortId)).scanStatus, "clean");
    // Far less than the lease of the dead server, which runs for 30 seconds.
    assert.ok(performance.now() - startedAtMs < 15_000);
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
    "before the bytes are put aside": { call: "rename", when: 1 },
    "before their folder is durable": { call: "fsync", when: 1, path: join(dataDir, "quarantine") },
    "before it is written that they are put aside": { call: "fsync", when: 2, path: join(dataDir, "filehost.db-wal") },
    "before the job is done": { call: "fsync", when: 3, path: join(dataDir, "filehost.db-wal") },
  });

  test("at each step of blocking a file, it ends up in quarantine, and tells once", { skip: straceMissing, timeout: 60_000 }, async (t) => {
    for (const [index, [when, point]] of Object.entries(points(server)).entries()) {
      await t.test(when, async () => {
        const bytes = someBytes(20_000, 10 + index);
        bytes.set(eicar(), 1000);
        const upload = await beginScan(bytes);
        await dieAt(server, point, async () => relay.holdAnswers(false));
        assert.equal((await checked(server, upload.shortId)).scanStatus, "unavailable");
        await assertBlocked(server, upload);
        const { scan_reason, blob_key } = await putAside(server, upload.id);
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
