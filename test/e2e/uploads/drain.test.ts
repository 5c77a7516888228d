import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { startRelay } from "../../scan/relay.ts";
import { clamdMissing, joinClamd } from "../../support/clamd.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { signedUrl } from "../support/api.ts";
import { MB, sha256, someBytes } from "../support/multipart.ts";
import { untilHealthy, waitForScan, waitForScanStatus } from "../support/scanning.ts";
import { assertNothingLostOrLeft, eventsOf } from "../support/server-context.ts";
import { storedFiles, withDatabase } from "../support/state.ts";
import { atServer, downloadDigest, putFile } from "../support/transfers.ts";

async function open(server: TestServer, head: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  // The server may reset it as it stops; what is awaited of it still rejects.
  socket.on("error", () => {});
  socket.write(`${head}\r\nHost: ${hostname}\r\nConnection: close\r\n`);
  return socket;
}

/** Reads to the end of the connection; `count` is the number of chunks so far. */
function reading(socket: Socket): { readonly all: Promise<Buffer>; readonly count: number } {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk));
  return {
    all: once(socket, "close").then(() => Buffer.concat(chunks)),
    get count() {
      return chunks.length;
    },
  };
}

const isRefused = async (server: TestServer): Promise<boolean> =>
  await fetch(`${server.url}/health/live`).then(
    () => false,
    () => true,
  );

/** Starts a server that drains an upload until its timeout: a server that is stopped later and exits earlier has waited for nothing. */
async function startDraining(): Promise<AsyncDisposable & { readonly hasEnded: boolean }> {
  const server = await startServer();
  const upload = await open(server, "PUT /slow.bin HTTP/1.1");
  upload.write(`Content-Length: ${4 * MB}\r\n\r\n`);
  upload.write(new Uint8Array(2 * MB));
  await until("the upload has started", async () => (await storedFiles(server)).length > 0);
  let hasEnded = false;
  const ended = server.kill("SIGTERM").then(() => {
    hasEnded = true;
  });
  await until("the server refuses connections", () => isRefused(server));
  return {
    get hasEnded() {
      return hasEnded;
    },
    async [Symbol.asyncDispose]() {
      upload.destroy();
      await ended;
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("SIGTERM", () => {
  test("refuses connections, drains a slow upload and a slow download, and exits with 0", async () => {
    await using server = await startServer();
    const large = someBytes(24 * MB, 1);
    const { id } = await putFile(server, "/large.bin", large);
    const address = new URL(atServer(server, await signedUrl(server, id)));
    const down = await open(server, `GET ${address.pathname}${address.search} HTTP/1.1`);
    const received = reading(down);
    down.write("\r\n");
    await until("the download has started", () => received.count > 0);
    down.pause();

    const bytes = someBytes(2 * MB, 2);
    const up = await open(server, "PUT /slow.bin HTTP/1.1");
    const response = reading(up);
    up.write(`Content-Length: ${bytes.length}\r\nAccept: application/json\r\n\r\n`);
    up.write(bytes.subarray(0, MB));
    await until("the upload has begun", async () => (await storedFiles(server)).some((path) => path.startsWith("staging")));

    const ended = server.kill("SIGTERM");
    await until("the server refuses connections", () => isRefused(server));
    up.write(bytes.subarray(MB));
    const text = (await response.all).toString();
    assert.match(text, /^HTTP\/1\.1 200 /);
    down.resume();
    const whole = await received.all;
    assert.equal(sha256(whole.subarray(whole.indexOf("\r\n\r\n") + 4)), sha256(large));
    assert.equal(await ended, 0);

    await server.restart();
    const uploaded = /"id":"(\w+)"/.exec(text)?.[1] ?? "";
    assert.equal(await downloadDigest(server, uploaded), sha256(bytes));
    await assertNothingLostOrLeft(server);
    assert.equal(server.logs().filter(({ level }) => level === "error").length, 0);
  });

  test("stops the server immediately when all connections are idle", async () => {
    await using server = await startServer();
    await untilHealthy(server);
    await using draining = await startDraining();
    await server.stop();
    assert.equal(draining.hasEnded, false);
  });

  test("releases a running job immediately, and the next server runs it", { skip: clamdMissing }, async () => {
    const clamd = await joinClamd();
    await using relay = await startRelay(clamd.unix);
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
    await untilHealthy(server);
    relay.holdResponses(true);
    const bytes = someBytes(MB, 3);
    const upload = await putFile(server, "/scanned.bin", bytes);
    await waitForScanStatus(server, upload.shortId, "scanning");
    await using draining = await startDraining();
    await server.stop();
    assert.equal(draining.hasEnded, false, "waited for the scanner");
    const rows = await withDatabase(server, async (db) => ({
      jobs: await db.selectFrom("jobs").select(["subject", "lease_holder", "attempts"]).execute(),
      instances: await db.selectFrom("server_instances").selectAll().execute(),
    }));
    assert.deepEqual(rows, { jobs: [{ subject: upload.id, lease_holder: null, attempts: 0 }], instances: [] });
    relay.cut();
    relay.holdResponses(false);
    await server.restart();
    assert.equal((await waitForScan(server, upload.shortId)).scanStatus, "clean");
    assert.deepEqual(
      (await eventsOf(server, upload.id)).map(({ type }) => type),
      ["file.ready"],
    );
  });
});
