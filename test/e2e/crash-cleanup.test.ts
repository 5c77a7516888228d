import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { newBlobKey } from "../../src/domain/alphabet.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { call, type Upload } from "./support/api.ts";
import { commandDiesAt, dieAt } from "./support/crash.ts";
import { assertNothingLostOrLeft, audit, cleanUp, eventsOf } from "./support/inside.ts";
import { init, MB, sendParts, someBytes } from "./support/multipart.ts";
import { traces, withDatabase } from "./support/state.ts";
import { type CallPoint, straceMissing } from "./support/strace.ts";
import { putFile } from "./support/transfers.ts";

const newKey = (): string => newBlobKey((bytes) => crypto.getRandomValues(new Uint8Array(bytes)));

/** Three files whose time is over, an upload in parts that nobody goes on with, and bytes that no row speaks of. */
async function makeWork(server: TestServer): Promise<readonly Upload[]> {
  const uploads = [];
  for (const seed of [1, 2, 3]) uploads.push(await putFile(server, `/${seed}.bin`, someBytes(10_000, seed)));
  const bytes = someBytes(2 * MB, 4);
  await sendParts(server, await init(server, { fileSize: bytes.length, partSize: MB }), bytes);
  await withDatabase(server, async (db) => {
    await db.updateTable("upload_sessions").set({ last_byte_at: 1 }).execute();
  });
  await expire(server);
  const key = newKey();
  const leaf = join(server.dataDir, "blobs", key.slice(0, 2), key.slice(2, 4));
  await mkdir(leaf, { recursive: true });
  await writeFile(join(leaf, key), "stray");
  await writeFile(join(server.dataDir, "staging", newKey()), "stray");
  return uploads;
}

async function expire(server: TestServer): Promise<void> {
  await withDatabase(server, async (db) => {
    await db.updateTable("shares").set({ expires_at: Date.now() }).execute();
  });
}

const EMPTY = { sessions: 0, reservedBytes: 0, usedBytes: 0, stored: [] };

async function assertAllGone(server: TestServer, uploads: readonly Upload[]): Promise<void> {
  const { sessions, reservedBytes, usedBytes, stored } = await traces(server);
  assert.deepEqual({ sessions, reservedBytes, usedBytes, stored }, EMPTY);
  for (const { id, shortId } of uploads) {
    const types = (await eventsOf(server, id)).map(({ type }) => type);
    assert.deepEqual(types, ["file.ready", "file.expired"]);
    assert.equal((await call(server, "GET", `/api/files/share/${shortId}`)).status, 404);
  }
}

/** decisions, "Expiry and removal". */
describe("a cleanup that is killed", { skip: straceMissing }, () => {
  const points: readonly CallPoint[] = [
    ...[3, 9, 20].map((when) => ({ call: "pwrite64", when })),
    ...[1, 2, 3, 4, 5, 6].map((when) => ({ call: "fsync", when })),
    ...[1, 2, 3, 4, 5, 6].map((when) => ({ call: "unlinkat", when })),
  ];

  test("at each step, the next one does the rest, beside a server that runs", { timeout: 60_000 }, async (t) => {
    await using server = await startServer();
    for (const point of points) {
      await t.test(`${point.call} ${point.when}`, async () => {
        let uploads: readonly Upload[] = [];
        // The server's own cleanup comes twice a minute, and may leave too little to do for the step to be reached: then there is new work.
        await until("the command dies in the middle", async () => {
          uploads = await makeWork(server);
          assert.equal((await audit(server)).orphans.length, 2);
          return await commandDiesAt(server, ["cleanup"], point);
        });
        assert.deepEqual((await audit(server)).missing, []);
        await cleanUp(server);
        assert.deepEqual(await audit(server), { missing: [], orphans: [] });
        await assertAllGone(server, uploads);
      });
    }
  });

  test("by the server's own death at its regular time", { timeout: 90_000 }, async () => {
    await using server = await startServer();
    const uploads = await makeWork(server);
    await dieAt(server, { call: "unlinkat", when: 2 }, async () => undefined, 45_000);
    await assertNothingLostOrLeft(server);
    await assertAllGone(server, uploads);
  });
});

describe("a server killed during a deletion", { skip: straceMissing }, () => {
  const points: readonly CallPoint[] = [
    { call: "fsync", when: 1 },
    { call: "fsync", when: 2 },
    { call: "unlinkat", when: 1 },
    { call: "fsync", when: 3 },
    { call: "sendto", when: 1 },
  ];

  test("at each step, the file is there with its bytes, or gone with them after one cleanup", { timeout: 30_000 }, async (t) => {
    await using server = await startServer();
    for (const point of points) {
      await t.test(`${point.call} ${point.when}`, async () => {
        const { id, deletionToken } = await putFile(server, "/brief.bin", someBytes(10_000, 9));
        const path = `/api/files/delete?fileId=${id}&token=${deletionToken}`;
        await dieAt(server, point, () => call(server, "DELETE", path));
        await assertNothingLostOrLeft(server);
        const { status } = await call(server, "DELETE", path);
        assert.ok(status === 200 || status === 404, `${status}`);
        assert.deepEqual((await traces(server)).stored, []);
        assert.equal((await traces(server)).usedBytes, 0);
      });
    }
  });
});
