import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { formatClamdAddress } from "../../src/scan/clamd-address.ts";
import { startRelay } from "../scan/relay.ts";
import { clamdMissing, startClamd } from "../support/clamd.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { signedUrl } from "./support/api.ts";
import { assertNothingLostOrLeft, eventsOf } from "./support/inside.ts";
import { MB, sha256, someBytes } from "./support/multipart.ts";
import { checked, health, untilStatus } from "./support/scanning.ts";
import { withDatabase } from "./support/state.ts";
import { downloadDigest, here, putFile } from "./support/transfers.ts";

async function open(server: TestServer, head: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  socket.write(`${head}\r\nHost: ${hostname}\r\nConnection: close\r\n`);
  return socket;
}

/** Reads to the end; `text` is what has come so far. */
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

describe("SIGTERM", () => {
  test("takes no more connections, finishes a slow upload and a slow download, and leaves with 0", { timeout: 60_000 }, async () => {
    await using server = await startServer();
    const large = someBytes(24 * MB, 1);
    const { id } = await putFile(server, "/large.bin", large);
    const address = new URL(here(server, await signedUrl(server, id)));
    const down = await open(server, `GET ${address.pathname}${address.search} HTTP/1.1`);
    const received = reading(down);
    down.write("\r\n");
    await until("the download has begun", () => received.count > 0);
    down.pause();

    const bytes = someBytes(2 * MB, 2);
    const up = await open(server, "PUT /slow.bin HTTP/1.1");
    const answer = reading(up);
    up.write(`Content-Length: ${bytes.length}\r\nAccept: application/json\r\n\r\n`);
    up.write(bytes.subarray(0, MB));

    const ended = server.kill("SIGTERM");
    await until("nobody can connect", () => isRefused(server));
    up.write(bytes.subarray(MB));
    const text = (await answer.all).toString();
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

  test("with nobody connected leaves at once, idle connections or not", async () => {
    await using server = await startServer();
    assert.equal((await health(server)).status, 200);
    const startedAt = performance.now();
    await server.stop();
    assert.ok(performance.now() - startedAt < 3_000);
  });

  test("puts a job that runs back at once, and the next server does it", { skip: clamdMissing, timeout: 60_000 }, async () => {
    await using clamd = await startClamd();
    await using relay = await startRelay(clamd.unix);
    await using server = await startServer({ env: { FILEHOST_CLAMD: formatClamdAddress(relay.address) } });
    assert.equal((await health(server)).status, 200);
    relay.holdAnswers(true);
    const bytes = someBytes(MB, 3);
    const upload = await putFile(server, "/scanned.bin", bytes);
    await untilStatus(server, upload.shortId, "scanning");
    const startedAt = performance.now();
    await server.stop();
    assert.ok(performance.now() - startedAt < 5_000, "it does not wait for the scanner");
    const rows = await withDatabase(server, async (db) => ({
      jobs: await db.selectFrom("jobs").select(["subject", "lease_holder", "attempts"]).execute(),
      instances: await db.selectFrom("instances").selectAll().execute(),
    }));
    assert.deepEqual(rows, { jobs: [{ subject: upload.id, lease_holder: null, attempts: 0 }], instances: [] });
    relay.cut();
    relay.holdAnswers(false);
    await server.restart();
    assert.equal((await checked(server, upload.shortId)).scanStatus, "clean");
    assert.deepEqual(
      (await eventsOf(server, upload.id)).map(({ type }) => type),
      ["file.ready"],
    );
  });
});
