import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { newBlobKey } from "../../../src/lib/secrets/ids.ts";
import { longSkipped, stepSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { call, type Upload } from "../support/api/api.ts";
import { killCommandAt, killServerAt } from "../support/servers/crash.ts";
import { assertNothingLostOrLeft, audit, cleanUp, eventsOf } from "../support/servers/server-context.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { type CallPoint, straceMissing } from "../support/servers/strace.ts";
import { init, MB, sendParts, someBytes } from "../support/uploads/multipart.ts";
import { putFile } from "../support/uploads/transfers.ts";

const newKey = (): string => newBlobKey((bytes) => crypto.getRandomValues(new Uint8Array(bytes)));

/** Makes three expired files, an idle upload in parts and two orphans. */
async function makeCleanupWork(server: TestServer): Promise<readonly Upload[]> {
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

async function assertAllRemoved(server: TestServer, uploads: readonly Upload[]): Promise<void> {
  const { sessions, reservedBytes, usedBytes, stored } = await countStoredState(server);
  assert.deepEqual({ sessions, reservedBytes, usedBytes, stored }, EMPTY);
  for (const { id, shortId } of uploads) {
    const types = (await eventsOf(server, id)).map(({ type }) => type);
    assert.deepEqual(types, ["file.ready", "file.expired"]);
    assert.equal((await call(server, "GET", `/api/files/share/${shortId}`)).status, 404);
  }
}

/** expiry, "What cleanup does"; sharing, "Deleting"; storage, "Rows and bytes". */
describeUnless(straceMissing ?? longSkipped, "cleanup after a crash", () => {
  const points: readonly CallPoint[] = [
    ...[3, 9, 20].map((when) => ({ call: "pwrite64", when })),
    ...[1, 2, 3, 4, 5, 6].map((when) => ({ call: "fsync", when })),
    ...[1, 2, 3, 4, 5, 6].map((when) => ({ call: "unlinkat", when })),
  ];

  test("completes the work of a cleanup command killed at each step, beside a running server", { timeout: 600_000 }, async (t) => {
    await using server = await startServer();
    for (const [index, point] of points.entries()) {
      await t.test(`the command is killed at ${point.call} ${point.when}`, { skip: stepSkipped(index) }, async () => {
        let uploads: readonly Upload[] = [];
        // The server runs its own cleanup twice a minute, which may leave too little work for the command to reach the step: try again.
        await until("the command is killed", async () => {
          uploads = await makeCleanupWork(server);
          assert.equal((await audit(server)).orphans.length, 2);
          return await killCommandAt(server, ["cleanup", "--orphans", "--yes"], point);
        });
        assert.deepEqual((await audit(server)).missing, []);
        await cleanUp(server);
        assert.deepEqual(await audit(server), { missing: [], orphans: [] });
        await assertAllRemoved(server, uploads);
      });
    }
  });

  test("completes the work of a server killed during its scheduled cleanup", async () => {
    await using server = await startServer();
    const uploads = await makeCleanupWork(server);
    await killServerAt(server, { call: "unlinkat", when: 2 }, async () => undefined);
    await assertNothingLostOrLeft(server);
    await assertAllRemoved(server, uploads);
  });
});

describeUnless(straceMissing ?? longSkipped, "a deletion by a server that is killed", () => {
  const points: readonly CallPoint[] = [
    { call: "fsync", when: 1 },
    { call: "fsync", when: 2 },
    { call: "unlinkat", when: 1 },
    { call: "fsync", when: 3 },
    { call: "sendto", when: 1 },
  ];

  test("leaves the file with its bytes or removes both, at each step", { timeout: 600_000 }, async (t) => {
    await using server = await startServer();
    for (const point of points) {
      await t.test(`the server is killed at ${point.call} ${point.when}`, async () => {
        const { id, deletionToken } = await putFile(server, "/brief.bin", someBytes(10_000, 9));
        const path = `/api/files/delete?fileId=${id}&token=${deletionToken}`;
        await killServerAt(server, point, () => call(server, "DELETE", path));
        await assertNothingLostOrLeft(server);
        const { status } = await call(server, "DELETE", path);
        assert.ok(status === 200 || status === 404, `${status}`);
        assert.deepEqual((await countStoredState(server)).stored, []);
        assert.equal((await countStoredState(server)).usedBytes, 0);
      });
    }
  });
});
