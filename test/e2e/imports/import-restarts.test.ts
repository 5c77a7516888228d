import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused } from "../support/api/api.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { createImport, startImportingServer, startStalledOrigin, waitForBytes, waitForEnd } from "../support/shares/imports.ts";
import { postInit, sha256 } from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

/** Import jobs across restarts: imports, "Interruptions" and "The longest time of an import"; fair queues, "Slots of imports". */

const PART_BYTES = 8 * 1024 * 1024;

/** Waits until `parts` parts are stored, which a crash then keeps. */
const waitForParts = (of: TestServer, parts: number): Promise<true> =>
  until("the parts are stored", () =>
    withDatabase(of, async (db) => (await db.selectFrom("upload_parts").select("part_number").execute()).length >= parts),
  );

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  test(`an import job resumes after its stored parts after ${signal} when the source supports ranges`, async () => {
    await using own = await startImportingServer();
    const { key } = await addAccount(own);
    const bytes = randomBytes(3 * PART_BYTES + 1234);
    const stalls: (number | undefined)[] = [2 * PART_BYTES + 500_000];
    await using origin = await startOrigin({ "/big.bin": sendFile({ bytes, headers: { etag: '"1"' }, stallAfter: () => stalls.shift() }) });
    const created = await createImport(own, { url: `${origin.url}/big.bin` }, key);
    await waitForParts(own, 2);
    await own.restart({ signal });
    const job = await waitForEnd(own, created);
    assert.deepEqual([job.status, job.bytesDone], ["completed", bytes.length], JSON.stringify(job));
    assert.equal(await downloadDigest(own, job.fileId ?? ""), sha256(bytes));
    assert.deepEqual(
      origin.requests.map(({ headers }) => [headers.range, headers["if-range"]]),
      [
        [undefined, undefined],
        [`bytes=${2 * PART_BYTES}-`, '"1"'],
      ],
    );
    const { sessions, reservedBytes, usedBytes, files } = await countStoredState(own);
    assert.deepEqual([sessions, reservedBytes, usedBytes, files], [0, 0, bytes.length, 1]);
    await assertNothingLostOrLeft(own);
  });
}

test("an import job starts over after a crash when the source has no ranges or the file has changed", async () => {
  await using own = await startImportingServer();
  const { key } = await addAccount(own);
  const old = randomBytes(2 * PART_BYTES);
  const changed = randomBytes(2 * PART_BYTES);
  const stalls: (number | undefined)[] = [PART_BYTES + 1000];
  const stallsOfPlain: (number | undefined)[] = [600];
  await using origin = await startOrigin({
    "/changed": (request, response) => {
      const isFirst = stalls.length > 0;
      const sent = { bytes: isFirst ? old : changed, headers: { etag: isFirst ? '"1"' : '"2"' }, stallAfter: () => stalls.shift() };
      sendFile(sent)(request, response);
    },
    "/plain": sendFile({ bytes: changed, stallAfter: () => stallsOfPlain.shift() }),
  });
  const jobs = [
    await createImport(own, { url: `${origin.url}/changed` }, key),
    await createImport(own, { url: `${origin.url}/plain` }, key),
  ];
  await waitForParts(own, 1);
  await until("both are running", () => origin.requests.length === 2);
  await own.restart({ signal: "SIGKILL" });
  for (const created of jobs) {
    const job = await waitForEnd(own, created);
    assert.equal(job.status, "completed", JSON.stringify(job));
    assert.equal(await downloadDigest(own, job.fileId ?? ""), sha256(changed));
  }
  const { reservedBytes, usedBytes, files } = await countStoredState(own);
  assert.deepEqual([reservedBytes, usedBytes, files], [0, 2 * changed.length, 2]);
  await assertNothingLostOrLeft(own);
});

test("an import job keeps its parts when the disk is full, and resumes later", async () => {
  await using own = await startImportingServer();
  const bytes = randomBytes(2 * PART_BYTES + 1234);
  const stalls: (number | undefined)[] = [PART_BYTES + 500_000];
  await using origin = await startOrigin({ "/big.bin": sendFile({ bytes, headers: { etag: '"1"' }, stallAfter: () => stalls.shift() }) });
  const created = await createImport(own, { url: `${origin.url}/big.bin` });
  await waitForParts(own, 1);
  const setDue = (atMs: number) =>
    withDatabase(own, (db) => db.updateTable("jobs").set({ run_at: atMs }).where("subject", "=", created.jobId).execute());
  await setDue(Date.now() + 3_600_000);
  const { bavail, bsize } = await statfs(tmpdir());
  await own.restart({ signal: "SIGKILL", env: { FILEHOST_MIN_FREE: `${2 * bavail * bsize}B` } });
  // Idle for 11 minutes, its reservation is released as soon as another upload needs space.
  await withDatabase(own, (db) =>
    db
      .updateTable("upload_sessions")
      .set({ last_byte_at: Date.now() - 11 * 60_000 })
      .execute(),
  );
  assertRefused(await postInit(own, { fileName: "a", fileSize: 10_000_000 }), { status: 507, code: "STORAGE_FULL" });
  const read = () =>
    withDatabase(own, (db) => db.selectFrom("imports").select(["status", "error_code", "failures"]).executeTakeFirstOrThrow());
  await setDue(0);
  await until("the disk was full", async () => {
    const { status, failures } = await read();
    return failures > 0 || status === "failed";
  });
  assert.deepEqual(await read(), { status: "queued", error_code: null, failures: 1 });
  await own.restart({ env: { FILEHOST_MIN_FREE: "0" } });
  await setDue(0);
  const job = await waitForEnd(own, created);
  assert.equal(job.status, "completed", JSON.stringify(job));
  assert.equal(await downloadDigest(own, job.fileId ?? ""), sha256(bytes));
  assert.deepEqual(
    origin.requests.map(({ headers }) => headers.range),
    [undefined, `bytes=${PART_BYTES}-`, `bytes=${PART_BYTES}-`],
  );
  await assertNothingLostOrLeft(own);
});

test("an import job older than a day fails", async () => {
  await using own = await startImportingServer();
  const { key } = await addAccount(own);
  await using origin = await startStalledOrigin();
  const created = await createImport(own, { url: `${origin.url}/a` }, key);
  await waitForBytes(own, created, 600);
  await withDatabase(own, async (db) => {
    await db
      .updateTable("imports")
      .set({ created_at: Date.now() - 24 * 3_600_000 })
      .where("id", "=", created.jobId)
      .execute();
  });
  await own.restart({ signal: "SIGKILL" });
  const job = await waitForEnd(own, created);
  assert.deepEqual([job.status, job.errorCode], ["failed", "REMOTE_TIMEOUT"]);
  await assertNothingLostOrLeft(own);
});
