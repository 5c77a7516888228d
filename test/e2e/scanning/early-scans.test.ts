import assert from "node:assert/strict";
import { randomFillSync } from "node:crypto";
import { after, before, test } from "node:test";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { eicarFile } from "../../../src/scan/eicar.ts";
import { type Relay, startRelay } from "../../scan/relay.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { clamdMissing, joinClamd } from "../../support/services/clamd.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { waitForQuarantine } from "../support/servers/server-context.ts";
import { storedFiles } from "../support/servers/state.ts";
import { assertBlocked, untilHealthy, waitForScan } from "../support/shares/scanning.ts";
import { complete, init, MB, partUrl, putPart, type Session, sha256, split } from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const FILE_BYTES = 72 * MB;

/** scanning, "Early scans". */
describeUnless(clamdMissing, "uploads that are scanned while they arrive", () => {
  let relay: Relay;
  let server: TestServer;

  before(async () => {
    relay = await startRelay((await joinClamd()).unix);
    server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
    await untilHealthy(server);
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    await relay[Symbol.asyncDispose]();
  });

  /** Makes a file that was never scanned, with the EICAR pattern in its first window if it is harmful. */
  function newFile({ isHarmful = false } = {}): Uint8Array<ArrayBuffer> {
    const bytes = randomFillSync(new Uint8Array(FILE_BYTES));
    if (isHarmful) bytes.set(eicarFile(), 5 * MB);
    return bytes;
  }

  async function sendPart(session: Session, file: Uint8Array<ArrayBuffer>, partNumber: number): Promise<void> {
    const part = split(file, session)[partNumber - 1] ?? new Uint8Array();
    assert.equal((await putPart(await partUrl(server, session, partNumber, part), part)).status, 200);
  }

  /** Sends all parts but the last, and waits until clamd has scanned the first window. */
  async function sendMost(file: Uint8Array<ArrayBuffer>): Promise<Session> {
    const before = relay.verdicts;
    const session = await init(server, { fileSize: file.length, partSize: 8 * MB });
    for (let partNumber = 1; partNumber < session.totalParts; partNumber += 1) await sendPart(session, file, partNumber);
    await until("the first window is scanned", () => relay.verdicts > before);
    return session;
  }

  test("a clean file is scanned once, and can be downloaded", async () => {
    const sentBefore = relay.bytesIn;
    const file = newFile();
    const session = await sendMost(file);
    await sendPart(session, file, session.totalParts);
    const { id, shortId } = await complete(server, session);
    const { scanStatus, scanned, scanCoverage, sha256: digest } = await waitForScan(server, shortId);
    assert.deepEqual(
      { scanStatus, scanned, scanCoverage, digest },
      { scanStatus: "clean", scanned: true, scanCoverage: "windowed", digest: sha256(file) },
    );
    assert.ok(relay.bytesIn - sentBefore < 1.2 * FILE_BYTES);
    assert.equal(await downloadDigest(server, id), sha256(file));
  });

  test("a harmful file is blocked as soon as it is complete, and nothing happens before", async () => {
    const file = newFile({ isHarmful: true });
    const session = await sendMost(file);
    assert.ok((await storedFiles(server)).every((path) => !path.startsWith("quarantine/")));
    await sendPart(session, file, session.totalParts);
    const upload = await complete(server, session);
    assert.equal((await waitForScan(server, upload.shortId)).failureReason, "infected");
    await waitForQuarantine(server, upload.id);
    await assertBlocked(server, upload);
  });

  for (const [what, change] of [
    ["a part is replaced by a harmful one", async () => undefined],
    ["the server is killed and a part is replaced", () => server.restart({ signal: "SIGKILL" })],
  ] as const)
    test(`a harmful file is found if ${what} after its first windows were clean`, async () => {
      const clean = newFile();
      const session = await sendMost(clean);
      const file = clean.slice();
      file.set(eicarFile(), 5 * MB);
      await change();
      await sendPart(session, file, 1);
      await sendPart(session, file, session.totalParts);
      const upload = await complete(server, session);
      assert.equal((await waitForScan(server, upload.shortId)).failureReason, "infected");
      await assertBlocked(server, upload);
    });
});
