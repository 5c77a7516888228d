import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { ImportStatus } from "../../../src/service/imports/contract.ts";
import type { TestServer } from "../../support/server.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { addAccount, createKey } from "../support/accounts/accounts.ts";
import { type ApiResponse, assertRefused, call, clientOf, deleteFile, getShare } from "../support/api/api.ts";
import { countStoredState } from "../support/servers/state.ts";
import {
  type CreatedImport,
  cancelImport,
  createImport,
  getJob,
  jobPath,
  startImportingServer,
  startStalledOrigin,
  waitForBytes,
  waitForEnd,
} from "../support/shares/imports.ts";
import { sha256 } from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

/** `/files/remote-multipart/…`: imports, "Fields" and "The job"; fair queues, "Slots of imports". */

let server: TestServer;

before(async () => {
  server = await startImportingServer();
});
after(() => server[Symbol.asyncDispose]());

test("an import job fetches the file, reports to its secret and returns the file's tokens", async () => {
  const bytes = randomBytes(20_000_000);
  await using origin = await startOrigin({ "/big.bin": sendFile({ bytes, headers: { etag: '"1"' } }) });
  const created = await createImport(server, { url: `${origin.url}/big.bin`, ttl: "1h" });
  assert.match(created.jobSecret, /^job_/);
  assert.equal(created.status, "queued");
  assert.equal(
    created.statusUrl,
    `${server.url}/api/files/remote-multipart/${created.jobId}`.replace("127.0.0.1", new URL(created.statusUrl).hostname),
  );
  assert.equal(created.eventsUrl, `${created.statusUrl}/events`);
  const job = await waitForEnd(server, created);
  assert.deepEqual(
    [job.status, job.bytesDone, job.bytesTotal, job.percent, job.name, job.error],
    ["completed", bytes.length, bytes.length, 100, "big.bin", null],
  );
  assert.equal(job.sharePath, `/d/${job.shortId}`);
  assert.equal(await downloadDigest(server, job.fileId ?? ""), sha256(bytes));
  const stolen = await call(server, "DELETE", `/api/files/delete?fileId=${job.fileId}&token=${created.claimToken}`);
  assert.equal(stolen.status, 403);
  await deleteFile(server, { fileId: job.fileId ?? "", token: created.deletionToken });
});

test("an import job is visible only to its owner and with its secret, on every route", async () => {
  const owner = await addAccount(server);
  const other = await addAccount(server);
  await using origin = await startStalledOrigin();
  const created = await createImport(server, { url: `${origin.url}/a` }, owner.key);
  assert.equal(created.claimToken, undefined);
  const bare = `/api/files/remote-multipart/${created.jobId}`;
  const routes: [string, string][] = [
    ["GET", ""],
    ["GET", "/events"],
    ["DELETE", ""],
  ];
  for (const [method, rest] of routes) {
    for (const query of ["", "?secret=job_wrong", "?jobSecret="])
      assertRefused(await call(server, method, bare + rest + query), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, method, bare + rest, { key: other.key }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, method, `/api/files/remote-multipart/unknown${rest}?secret=${created.jobSecret}`), {
      status: 404,
      code: "NOT_FOUND",
    });
  }
  const { jobId, jobSecret } = created;
  const byOwner = clientOf(server, owner);
  await byOwner.call("getImport", { jobId });
  await clientOf(server).call("getImport", { jobId, jobSecret });
  await byOwner.call("cancelImport", { jobId });
});

test("a cancelled import job ends immediately, closes its connection and leaves nothing", async () => {
  const { key } = await addAccount(server);
  const before = await countStoredState(server);
  const send = sendFile({ bytes: randomBytes(1000), stallAfter: () => 600 });
  let isClosed = false;
  await using origin = await startOrigin({
    "/a": (request, response) => {
      response.once("close", () => {
        isClosed = true;
      });
      send(request, response);
    },
  });
  const created = await createImport(server, { url: `${origin.url}/a` }, key);
  await waitForBytes(server, created, 600);
  assert.equal((await cancelImport(server, created)).status, "cancelled");
  await cancelImport(server, created);
  await until("the state is as before the job", async () => {
    assert.deepEqual(await countStoredState(server), before);
    return true;
  });
  await until("the connection is closed", () => isClosed);
  assert.equal((await getJob(server, created)).status, "cancelled");
});

test("a failed import job reports its error and cannot be cancelled", async () => {
  const { key } = await addAccount(server);
  await using origin = await startOrigin({
    "/no": (_request, response) => void response.writeHead(403).end(),
    "/page.zip": (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>log in"),
  });
  const failures = { "/no": "REMOTE_REFUSED", "/page.zip": "REMOTE_NOT_A_FILE" };
  for (const [path, errorCode] of Object.entries(failures)) {
    const created = await createImport(server, { url: origin.url + path }, key);
    const job = await waitForEnd(server, created);
    assert.deepEqual([job.status, job.errorCode, job.fileId, job.sharePath], ["failed", errorCode, null, null]);
    assert.match(job.error ?? "", /^The .{20,}\.$/);
    assertRefused(await call(server, "DELETE", jobPath(created)), { status: 409, code: "CONFLICT" });
  }
  const refused = [
    [{ url: "nonsense" }, 400, "NO_URL"],
    [{ url: "http://10.0.0.1/" }, 400, "URL_NOT_ALLOWED"],
    [{ url: origin.url, folderId: "6f1c2f3e-0000-4000-8000-000000000000" }, 404, "NOT_FOUND"],
    [{ url: origin.url, direct: true }, 403, "PRO_REQUIRED"],
  ] as const;
  for (const [json, status, code] of refused) {
    const response: ApiResponse = await call(server, "POST", "/api/files/remote-multipart/init", { json, key });
    assertRefused(response, { status, code });
  }
});

test("an import job for a protected share returns the code when it completes", async () => {
  const { key } = await addAccount(server);
  await using origin = await startOrigin({ "/a.txt": sendFile({ bytes: Buffer.from("hello") }) });
  const created = await createImport(server, { url: `${origin.url}/a.txt`, protect: true }, key);
  const job = await waitForEnd(server, created);
  assert.match(job.unlockCode ?? "", /^\w{6}$/);
  assert.match(job.handoffUrl ?? "", /\/h\/ho_/);
  const share = await getShare(server, job.shortId ?? "");
  assert.equal(share.unlockRequired, true);
  const other = await createKey(server, key, { label: "another" });
  const read = async (sent: string | undefined, query = "") =>
    (await call<{ data: ImportStatus }>(server, "GET", `/api/files/remote-multipart/${job.jobId}${query}`, { ...(sent && { key: sent }) }))
      .body.data;
  assert.equal((await read(key)).unlockCode, job.unlockCode);
  // Another credential of the account sees the job without the secrets of its share.
  const seen = await read(other.key);
  assert.deepEqual([seen.status, seen.unlockCode, seen.handoffUrl], ["completed", undefined, undefined]);
  assert.equal((await read(undefined, `?jobSecret=${created.jobSecret}`)).unlockCode, job.unlockCode);
});

test("an account's import jobs run three at a time", async () => {
  const { key } = await addAccount(server);
  await using origin = await startStalledOrigin();
  const jobs: CreatedImport[] = [];
  for (let n = 0; n < 4; n++) jobs.push(await createImport(server, { url: `${origin.url}/a` }, key));
  const statuses = async (): Promise<string[]> => (await Promise.all(jobs.map((job) => getJob(server, job)))).map(({ status }) => status);
  await until("three are running", async () => (await statuses()).filter((status) => status === "importing").length === 3);
  assert.equal((await statuses()).filter((status) => status === "queued").length, 1);
  for (const job of jobs.slice(0, 3)) await cancelImport(server, job);
  await until("the fourth is running", async () => (await statuses()).includes("importing"));
  for (const job of jobs.slice(3)) await cancelImport(server, job);
});
