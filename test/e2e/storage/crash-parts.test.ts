import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { longSkipped, stepSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { killServerAt } from "../support/servers/crash.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { countStoredState, storedFiles } from "../support/servers/state.ts";
import { type CallPoint, straceMissing } from "../support/servers/strace.ts";
import {
  abort,
  complete,
  init,
  listUploadedParts,
  MB,
  partUrl,
  postComplete,
  putPart,
  type Session,
  sha256,
  someBytes,
  split,
} from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const PART_BYTES = 2 * MB;

async function initUpload(server: TestServer, seed: number): Promise<{ session: Session; bytes: Uint8Array<ArrayBuffer> }> {
  const bytes = someBytes(2 * PART_BYTES + 1234, seed);
  return { bytes, session: await init(server, { fileSize: bytes.length, partSize: PART_BYTES }) };
}

/** Uploads the parts with these numbers in order; resolves to the last response's status. */
async function send(server: TestServer, session: Session, bytes: Uint8Array<ArrayBuffer>, numbers: readonly number[]): Promise<number> {
  let status = 0;
  for (const number of numbers) {
    const part = split(bytes, session)[number - 1] ?? new Uint8Array();
    ({ status } = await putPart(await partUrl(server, session, number, part), part));
  }
  return status;
}

/** Resumes as a client that knows the session alone: uploads the missing parts, completes, and compares the file with `bytes`. */
async function resume(server: TestServer, session: Session, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const uploaded = new Map((await listUploadedParts(server, session)).map((part) => [part.partNumber, part.sha256]));
  const parts = split(bytes, session);
  for (const [number, digest] of uploaded) assert.equal(digest, sha256(parts[number - 1] ?? new Uint8Array()));
  const missing = parts.map((_, index) => index + 1).filter((number) => !uploaded.has(number));
  if (missing.length > 0) assert.equal(await send(server, session, bytes, missing), 200);
  const file = await complete(server, session);
  assert.equal(await downloadDigest(server, file.id), sha256(bytes));
  assert.deepEqual(await complete(server, session), file);
}

const wal = ({ dataDir }: TestServer): string => join(dataDir, "filehost.db-wal");

/** uploads, "Uploads in parts" and "Completing". */
describeUnless(straceMissing ?? longSkipped, "a server killed during an upload in parts", () => {
  const partPoints = (server: TestServer): Record<string, CallPoint> => ({
    "before the part is durable": { call: "fdatasync", when: 1 },
    "in the middle of recording it": { call: "pwrite64", when: 3, path: wal(server) },
    "before the record is durable": { call: "fsync", when: 1, path: wal(server) },
    "before the response is sent": { call: "sendto", when: 1 },
  });

  test("resumes an upload with the stored parts, whichever step of a part was interrupted", { timeout: 600_000 }, async (t) => {
    await using server = await startServer();
    for (const [index, [when, point]] of Object.entries(partPoints(server)).entries()) {
      await t.test(`the server is killed ${when}`, async () => {
        const { session, bytes } = await initUpload(server, 100 + index);
        assert.equal(await send(server, session, bytes, [1]), 200);
        const url = await partUrl(server, session, 2, bytes.subarray(PART_BYTES, 2 * PART_BYTES));
        await killServerAt(server, point, () => putPart(url, bytes.subarray(PART_BYTES, 2 * PART_BYTES)));
        await assertNothingLostOrLeft(server);
        const numbers = (await listUploadedParts(server, session)).map(({ partNumber }) => partNumber);
        assert.equal(numbers[0], 1);
        await resume(server, session, bytes);
        await assertNothingLostOrLeft(server);
      });
    }
  });

  const replacePoints = (server: TestServer, staged: string): Record<string, CallPoint> => ({
    "before the second copy is durable": { call: "fdatasync", when: 1 },
    "before the first one's record is deleted": { call: "fsync", when: 1, path: wal(server) },
    "while the second copy replaces the first": { call: "pwrite64", when: 1, path: staged },
    "before the replacement is durable": { call: "fdatasync", when: 1, path: staged },
    "before the replacement is recorded": { call: "fsync", when: 2, path: wal(server) },
  });

  test("lists the stored bytes of a part, whichever step of replacing it was interrupted", {
    timeout: 600_000,
  }, async (t) => {
    await using server = await startServer();
    for (const [index, when] of Object.keys(replacePoints(server, "")).entries()) {
      await t.test(`the server is killed ${when}`, { skip: stepSkipped(index) }, async () => {
        const { session, bytes } = await initUpload(server, 200 + index);
        assert.equal(await send(server, session, bytes, [1, 2, 3]), 200);
        const [staged = ""] = (await storedFiles(server)).filter((path) => path.startsWith("staging/"));
        const point = replacePoints(server, join(server.dataDir, staged))[when];
        assert.ok(point);
        const other = bytes.slice();
        other.fill(7, 0, PART_BYTES);
        const url = await partUrl(server, session, 1, other.subarray(0, PART_BYTES));
        await killServerAt(server, point, () => putPart(url, other.subarray(0, PART_BYTES)));
        await assertNothingLostOrLeft(server);
        const first = (await listUploadedParts(server, session)).find(({ partNumber }) => partNumber === 1);
        await resume(server, session, first?.sha256 === sha256(other.subarray(0, PART_BYTES)) ? other : bytes);
        await assertNothingLostOrLeft(server);
      });
    }
  });

  const completePoints = (server: TestServer): Record<string, CallPoint> => ({
    "in the middle of claiming the session": { call: "pwrite64", when: 1, path: wal(server) },
    "before the claim of the session is durable": { call: "fsync", when: 1, path: wal(server) },
    "before the bytes are durable": { call: "fdatasync", when: 1 },
    "before they are renamed": { call: "rename", when: 1 },
    "before their folder is durable": { call: "fsync", when: 1, path: join(server.dataDir, "blobs") },
    "in the middle of writing the file's row": { call: "pwrite64", when: 8, path: wal(server) },
    "before the row is durable": { call: "fsync", when: 2, path: wal(server) },
    "before the response is sent": { call: "sendto", when: 1 },
  });

  test("accepts complete again, whichever step of complete was interrupted", { timeout: 600_000 }, async (t) => {
    await using server = await startServer();
    for (const [index, [when, point]] of Object.entries(completePoints(server)).entries()) {
      await t.test(`the server is killed ${when}`, { skip: stepSkipped(index) }, async () => {
        const { session, bytes } = await initUpload(server, 300 + index);
        assert.equal(await send(server, session, bytes, [1, 2, 3]), 200);
        assert.equal(await killServerAt(server, point, () => postComplete(server, session)), undefined);
        if (index % 2 === 0) await assertNothingLostOrLeft(server);
        await resume(server, session, bytes);
        await assertNothingLostOrLeft(server);
      });
    }
  });

  test("leaves nothing when an upload is aborted after a crash during complete", async () => {
    await using server = await startServer();
    const before = await countStoredState(server);
    const { session, bytes } = await initUpload(server, 400);
    assert.equal(await send(server, session, bytes, [1, 2, 3]), 200);
    await killServerAt(server, { call: "fsync", when: 1, path: join(server.dataDir, "blobs") }, () => postComplete(server, session));
    await assertNothingLostOrLeft(server);
    await abort(server, session);
    assert.deepEqual(await countStoredState(server), before);
  });
});
