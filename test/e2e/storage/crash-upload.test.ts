import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { stepSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { killServerAt } from "../support/servers/crash.ts";
import { assertNothingLostOrLeft, cleanUp } from "../support/servers/server-context.ts";
import { countStoredState, storedFiles } from "../support/servers/state.ts";
import { type CallPoint, straceMissing } from "../support/servers/strace.ts";
import { sha256, someBytes } from "../support/uploads/multipart.ts";
import { downloadDigest, putFile } from "../support/uploads/transfers.ts";

const MB = 1024 ** 2;

/** Sends half of a body and leaves the connection open. */
async function sendHalf(server: TestServer, bytes: Uint8Array): Promise<Disposable> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined);
  socket.write(`PUT /slow.bin HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
  socket.write(bytes.subarray(0, bytes.length / 2));
  await until("the first bytes are staged", async () => (await stagedBytes(server)) >= MB);
  return { [Symbol.dispose]: () => void socket.destroy() };
}

async function stagedBytes({ dataDir }: TestServer): Promise<number> {
  const folder = join(dataDir, "staging");
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** uploads, "Uploads" and "Ends of a session"; storage, "Rows and bytes". */
describe("a server killed during a direct upload", () => {
  test("leaves nothing of half a body, and keeps files whose upload had succeeded", async () => {
    await using server = await startServer();
    const earlier = someBytes(300_000, 1);
    const { id } = await putFile(server, "/earlier.bin", earlier);
    const before = await countStoredState(server);
    using _ = await sendHalf(server, someBytes(4 * MB, 2));
    await server.restart({ signal: "SIGKILL" });
    await assertNothingLostOrLeft(server);
    assert.deepEqual(await countStoredState(server), before);
    assert.equal(await downloadDigest(server, id), sha256(earlier));
  });

  test("keeps an upload of a running server during a cleanup by another process", async () => {
    await using server = await startServer();
    using _ = await sendHalf(server, someBytes(4 * MB, 3));
    assert.equal((await cleanUp(server)).orphans, 0);
    assert.equal((await storedFiles(server)).length, 1);
  });

  const points = ({ dataDir }: TestServer): Record<string, CallPoint> => ({
    "in the middle of writing its first rows": { call: "pwrite64", when: 6, path: join(dataDir, "filehost.db-wal") },
    "before its first rows are durable": { call: "fsync", when: 1, path: join(dataDir, "filehost.db-wal") },
    "before its bytes are durable": { call: "fdatasync", when: 1 },
    "before its bytes are renamed": { call: "rename", when: 1 },
    "before their folder is durable": { call: "fsync", when: 1, path: join(dataDir, "blobs") },
    "in the middle of recording its completion": { call: "pwrite64", when: 45, path: join(dataDir, "filehost.db-wal") },
    "before its completion is durable": { call: "fsync", when: 2, path: join(dataDir, "filehost.db-wal") },
    "before the response is sent": { call: "sendto", when: 1 },
  });

  test("loses no file and leaves no bytes, whichever step of the upload was interrupted", {
    skip: straceMissing,
    timeout: 600_000,
  }, async (t) => {
    await using server = await startServer();
    for (const [index, [when, point]] of Object.entries(points(server)).entries()) {
      await t.test(`the server is killed ${when}`, { skip: stepSkipped(index) }, async () => {
        const bytes = someBytes(2 * MB + index, 10 + index);
        const uploaded = await killServerAt(server, point, () => putFile(server, `/${index}.bin`, bytes));
        assert.equal(uploaded, undefined);
        await assertNothingLostOrLeft(server);
        const { sessions, reservedBytes } = await countStoredState(server);
        assert.deepEqual({ sessions, reservedBytes }, { sessions: 0, reservedBytes: 0 });
        const again = await putFile(server, `/${index}.bin`, bytes);
        assert.equal(await downloadDigest(server, again.id), sha256(bytes));
      });
    }
  });
});
