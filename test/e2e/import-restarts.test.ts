import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { sendFile, startOrigin } from "../support/origin-server.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { addAccount } from "./support/accounts.ts";
import { assertRefused } from "./support/api.ts";
import { begin, stalled, startImportingServer, waitForBytes, waitForEnd } from "./support/imports.ts";
import { assertNothingLostOrLeft } from "./support/inside.ts";
import { postInit, sha256 } from "./support/multipart.ts";
import { traces, withDatabase } from "./support/state.ts";
import { downloadDigest } from "./support/transfers.ts";

/** Jobs that outlive their server: decisions, "Remote import". */

const PART_BYTES = 8 * 1024 * 1024;

/** Parts that are durable, so that a crash right now keeps them. */
const waitForParts = (of: TestServer, parts: number): Promise<true> =>
  until("parts have arrived", () =>
    withDatabase(of, async (db) => (await db.selectFrom("upload_parts").select("part_number").execute()).length >= parts),
  );

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  test(`after ${signal} a job goes on where its parts ended, where the source has ranges`, async () => {
    await using own = await startImportingServer();
    const { key } = await addAccount(own);
    const bytes = randomBytes(3 * PART_BYTES + 1234);
    const stalls: (number | undefined)[] = [2 * PART_BYTES + 500_000];
    await using origin = await startOrigin({ "/big.bin": sendFile({ bytes, headers: { etag: '"1"' }, stallAfter: () => stalls.shift() }) });
    const begun = await begin(own, { url: `${origin.url}/big.bin` }, key);
    await waitForParts(own, 2);
    await own.restart({ signal });
    const job = await waitForEnd(own, begun);
    assert.deepEqual([job.status, job.bytesDone], ["completed", bytes.length], JSON.stringify(job));
    assert.equal(await downloadDigest(own, job.fileId ?? ""), sha256(bytes));
    assert.deepEqual(
      origin.requests.map(({ headers }) => [headers.range, headers["if-range"]]),
      [
        [undefined, undefined],
        [`bytes=${2 * PART_BYTES}-`, '"1"'],
      ],
    );
    const { sessions, reservedBytes, usedBytes, files } = await traces(own);
    assert.deepEqual([sessions, reservedBytes, usedBytes, files], [0, 0, bytes.length, 1]);
    await assertNothingLostOrLeft(own);
  });
}

test("after a crash a job begins again where the source has no ranges, or the file has changed", async () => {
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
  const jobs = [await begin(own, { url: `${origin.url}/changed` }, key), await begin(own, { url: `${origin.url}/plain` }, key)];
  await waitForParts(own, 1);
  await until("both are under way", () => origin.requests.length === 2);
  await own.restart({ signal: "SIGKILL" });
  for (const begun of jobs) {
    const job = await waitForEnd(own, begun);
    assert.equal(job.status, "completed", JSON.stringify(job));
    assert.equal(await downloadDigest(own, job.fileId ?? ""), sha256(changed));
  }
  const { reservedBytes, usedBytes, files } = await traces(own);
  assert.deepEqual([reservedBytes, usedBytes, files], [0, 2 * changed.length, 2]);
  await assertNothingLostOrLeft(own);
});

test("a job that finds the disk full where a part has arrived keeps its parts and goes on later", async () => {
  await using own = await startImportingServer();
  const bytes = randomBytes(2 * PART_BYTES + 1234);
  const stalls: (number | undefined)[] = [PART_BYTES + 500_000];
  await using origin = await startOrigin({ "/big.bin": sendFile({ bytes, headers: { etag: '"1"' }, stallAfter: () => stalls.shift() }) });
  const begun = await begin(own, { url: `${origin.url}/big.bin` });
  await waitForParts(own, 1);
  const setDue = (atMs: number) =>
    withDatabase(own, (db) => db.updateTable("jobs").set({ run_at: atMs }).where("subject", "=", begun.jobId).execute());
  await setDue(Date.now() + 3_600_000);
  const { bavail, bsize } = await statfs(tmpdir());
  await own.restart({ signal: "SIGKILL", env: { FILEHOST_MIN_FREE: `${2 * bavail * bsize}B` } });
  // It has been idle for so long that the room it was promised is given back, as soon as another upload asks for room.
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
  const job = await waitForEnd(own, begun);
  assert.equal(job.status, "completed", JSON.stringify(job));
  assert.equal(await downloadDigest(own, job.fileId ?? ""), sha256(bytes));
  assert.deepEqual(
    origin.requests.map(({ headers }) => headers.range),
    [undefined, `bytes=${PART_BYTES}-`, `bytes=${PART_BYTES}-`],
  );
  await assertNothingLostOrLeft(own);
});

test("a job that is older than a day is given up", async () => {
  await using own = await startImportingServer();
  const { key } = await addAccount(own);
  await using origin = await stalled();
  const begun = await begin(own, { url: `${origin.url}/a` }, key);
  await waitForBytes(own, begun, 600);
  await withDatabase(own, async (db) => {
    await db
      .updateTable("imports")
      .set({ created_at: Date.now() - 24 * 3_600_000 })
      .where("id", "=", begun.jobId)
      .execute();
  });
  await own.restart({ signal: "SIGKILL" });
  const job = await waitForEnd(own, begun);
  assert.deepEqual([job.status, job.errorCode], ["failed", "REMOTE_TIMEOUT"]);
  await assertNothingLostOrLeft(own);
});
