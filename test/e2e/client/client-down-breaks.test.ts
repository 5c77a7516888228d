import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { type Relay, startRelay } from "../../scan/relay.ts";
import { mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import { startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { type SlowLine, startSlowLine } from "../../support/network/slow-line.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { clamdMissing, joinClamd, type TestClamd } from "../../support/services/clamd.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { findInfo } from "../support/api/api.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { untilHealthy, waitForScanStatus } from "../support/shares/scanning.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";
import { putFile } from "../support/uploads/transfers.ts";

const noDisk = await whyNoDisk();

/** client down, "Continuing". */
describe("an interrupted filehost down", () => {
  let server: TestServer;
  let line: SlowLine;
  let device: ClientDevice;
  before(async () => {
    server = await startPlainServer();
    line = await startSlowLine(server.url);
  });
  after(async () => {
    await line?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await device?.[Symbol.asyncDispose]();
    device = await makeDevice({ FILEHOST_SERVER: line.url });
    line.bytesPerSecond = Number.POSITIVE_INFINITY;
    line.letGo();
  });
  after(() => device?.[Symbol.asyncDispose]());

  const at = (path: string): string => join(device.path, path);
  const assertSaved = async (path: string, bytes: Uint8Array): Promise<void> => assert.equal(sha256(await readFile(path)), sha256(bytes));
  const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;
  const countOf = async (shortId: string): Promise<string | undefined> => (await findInfo(server, shortId))?.download;

  /**
   * Kills the server when more than half of a file of 128 MB has arrived, so that the rest is within what a grant allows. The rest is more
   * than sockets hold: a server that has sent everything has ended the download.
   */
  async function downUntilKilled(shortId: string) {
    line.holdAfter(72 * MB);
    const child = device.start(["down", shortId]);
    const closed = once(child, "close");
    const output = { stderr: "" };
    child.stderr?.on("data", (chunk) => {
      output.stderr += chunk;
    });
    await until("some bytes are saved", async () => (await sizeOf(at("large.bin.part"))) > 68 * MB);
    await server.kill("SIGKILL");
    line.letGo();
    return { child, closed, output };
  }

  const startAgain = (): Promise<void> => server.restart({ env: { FILEHOST_LISTEN: `127.0.0.1:${new URL(server.url).port}` } });

  test("continues after a server that was killed starts again, and counts one download", async () => {
    const bytes = someBytes(128 * MB, 41);
    const { shortId } = await putFile(server, "/large.bin?maxDownloads=2", bytes);
    const { closed, output } = await downUntilKilled(shortId);
    await startAgain();
    assert.deepEqual(await closed, [0, null], output.stderr);
    await assertSaved(at("large.bin"), bytes);
    assert.equal(await countOf(shortId), "1");
  });

  test("continues with the same command after the server was killed and the client ended, and counts one download", async () => {
    const bytes = someBytes(128 * MB, 42);
    const { shortId } = await putFile(server, "/large.bin?maxDownloads=2", bytes);
    const { child, closed, output } = await downUntilKilled(shortId);
    child.kill("SIGINT");
    assert.deepEqual(await closed, [130, null], output.stderr);
    assert.match(output.stderr, /Run the same command to continue/);
    await startAgain();
    const { code, stderr } = await device.run(["down", shortId]);
    assert.equal(code, 0, stderr);
    await assertSaved(at("large.bin"), bytes);
    assert.equal(await countOf(shortId), "1");
  });

  test("downloads over a slow connection", async () => {
    const bytes = someBytes(8 * MB, 43);
    const { shortId } = await putFile(server, "/slow.bin", bytes);
    line.bytesPerSecond = MB;
    const { code, stderr } = await device.run(["down", shortId]);
    assert.equal(code, 0, stderr);
    await assertSaved(at("slow.bin"), bytes);
    assert.equal(await countOf(shortId), "1");
  });

  test("downloads over connections that are cut repeatedly, and counts one download", async () => {
    await using proxy = await startFaultyProxy(server.url);
    const bytes = someBytes(24 * MB, 44);
    const { shortId } = await putFile(server, "/flapping.bin", bytes);
    let requests = 0;
    let cuts = 0;
    proxy.decide = ({ method, url }) => {
      requests += 1;
      if (url.endsWith("/capabilities")) return undefined;
      if (requests % 5 === 0) return { status: 503, body: '{"success":false,"error":"Busy.","errorCode":"UNAVAILABLE"}' };
      if (method !== "GET" || !url.startsWith("/dl/")) return requests % 2 === 0 ? { cutAfterBytes: 0 } : undefined;
      cuts += 1;
      return { cutAfterBytes: 4 * MB };
    };
    const { code, stderr } = await device.run(["down", shortId, "--url", proxy.url]);
    assert.equal(code, 0, stderr);
    assert.ok(cuts >= 5, String(cuts));
    await assertSaved(at("flapping.bin"), bytes);
  });

  test("waits for a server that has had too many requests, and reports it", async () => {
    await using proxy = await startFaultyProxy(server.url);
    const { shortId } = await putFile(server, "/rate.bin", someBytes(1000, 45));
    let refusals = 0;
    proxy.decide = ({ url }) => {
      if (!url.endsWith("/capabilities") || refusals > 0) return undefined;
      refusals += 1;
      return { status: 429, headers: { "Retry-After": "1" }, body: '{"success":false,"error":"Too many.","errorCode":"RATE_LIMITED"}' };
    };
    const { code, stderr } = await device.run(["down", shortId, "--url", proxy.url]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /too many requests from this address\. Waiting 1 second\./);
  });

  test("ends when the disk fills, keeps the received bytes, and continues when the disk has space", { skip: noDisk }, async () => {
    const disk = await mountDisk(80 * MB);
    try {
      const bytes = someBytes(64 * MB, 46);
      const { shortId } = await putFile(server, "/large.bin", bytes);
      const command = ["down", shortId, "-C", disk];
      line.holdAfter(36 * MB);
      const running = device.run(command);
      await until("most bytes are saved", async () => (await sizeOf(join(disk, "large.bin.part"))) > 34 * MB);
      await writeFile(join(disk, "other"), Buffer.alloc(40 * MB));
      line.letGo();
      const full = await running;
      assert.equal(full.code, 5, full.stderr);
      assert.match(full.stderr, /The disk of this machine is full\. Free some space/);
      assert.equal((await readdir(disk)).includes("large.bin"), false);
      const arrived = await sizeOf(join(disk, "large.bin.part"));
      assert.ok(arrived > 34 * MB, String(arrived));
      await rm(join(disk, "other"));
      const { code, stderr } = await device.run(command);
      assert.equal(code, 0, stderr);
      await assertSaved(join(disk, "large.bin"), bytes);
      assert.deepEqual(await readdir(disk), ["large.bin"]);
      assert.equal(await countOf(shortId), "1");
    } finally {
      await unmountDisk(disk);
    }
  });
});

/** client down, "Codes and checks". */
describeUnless(clamdMissing, "filehost down while the malware scan runs", () => {
  let clamd: TestClamd;
  let relay: Relay;
  let server: TestServer;
  before(async () => {
    clamd = await joinClamd();
    relay = await startRelay(clamd.unix);
    server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address), FILEHOST_RATE_LIMITS: "off" } });
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await relay?.[Symbol.asyncDispose]();
  });

  for (const by of ["shortId", "id"] as const)
    test(`waits for its end, and then downloads by the ${by}`, async () => {
      await using device = await makeDevice({ FILEHOST_SERVER: server.url });
      await untilHealthy(server);
      relay.holdResponses(true);
      const bytes = someBytes(100_000, 47);
      const sent = await putFile(server, "/checked.bin", bytes);
      await waitForScanStatus(server, sent.shortId, "scanning");
      const refused = await device.run(["down", sent[by], "--no-wait"]);
      assert.equal(refused.code, 6, refused.stderr);
      const child = device.start(["down", sent[by], "-o", "checked.bin"]);
      const closed = once(child, "close");
      let stderr = "";
      child.stderr?.on("data", (chunk) => {
        stderr += chunk;
      });
      await until("the client waits", () => /check|scan/i.test(stderr));
      relay.holdResponses(false);
      assert.deepEqual(await closed, [0, null], stderr);
      assert.equal(sha256(await readFile(join(device.path, "checked.bin"))), sha256(bytes));
      assert.equal((await findInfo(server, sent.shortId))?.download, "1");
    });
});
