import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { sendFile, startOrigin } from "../support/origin-server.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { addAccount } from "./support/accounts.ts";
import { type Answer, assertRefused, call } from "./support/api.ts";
import { type Begun, begin, getJob, type Job, pathOf, stalled, startImportingServer, waitForBytes, waitForEnd } from "./support/imports.ts";
import { sha256 } from "./support/multipart.ts";
import { traces } from "./support/state.ts";
import { downloadDigest } from "./support/transfers.ts";

/** `/files/remote-multipart/…`: interface, "Upload and import", "Remote import job" and "Import job status"; decisions, "Remote import". */

let server: TestServer;

before(async () => {
  server = await startImportingServer();
});
after(() => server[Symbol.asyncDispose]());

test("a job fetches the file by itself; its secret tells of it, its tokens are the file's", async () => {
  const bytes = randomBytes(20_000_000);
  await using origin = await startOrigin({ "/big.bin": sendFile({ bytes, headers: { etag: '"1"' } }) });
  const begun = await begin(server, { url: `${origin.url}/big.bin`, ttl: "1h" });
  assert.match(begun.jobSecret, /^job_/);
  assert.equal(begun.status, "queued");
  assert.equal(
    begun.statusUrl,
    `${server.url}/api/files/remote-multipart/${begun.jobId}`.replace("127.0.0.1", new URL(begun.statusUrl).hostname),
  );
  assert.equal(begun.eventsUrl, `${begun.statusUrl}/events`);
  const job = await waitForEnd(server, begun);
  assert.deepEqual(
    [job.status, job.bytesDone, job.bytesTotal, job.percent, job.name, job.error],
    ["completed", bytes.length, bytes.length, 100, "big.bin", null],
  );
  assert.equal(job.sharePath, `/d/${job.shortId}`);
  assert.equal(await downloadDigest(server, job.fileId ?? ""), sha256(bytes));
  const stolen = await call(server, "DELETE", `/api/files/delete?fileId=${job.fileId}&token=${begun.claimToken}`);
  assert.equal(stolen.status, 403);
  const deleted = await call(server, "DELETE", `/api/files/delete?fileId=${job.fileId}&token=${begun.deletionToken}`);
  assert.equal(deleted.status, 200);
});

test("a job is its owner's and its secret's; anyone else gets 404 on every route", async () => {
  const owner = await addAccount(server);
  const other = await addAccount(server);
  await using origin = await stalled();
  const begun = await begin(server, { url: `${origin.url}/a` }, owner.key);
  assert.equal(begun.claimToken, undefined);
  const bare = `/api/files/remote-multipart/${begun.jobId}`;
  const routes: [string, string][] = [
    ["GET", ""],
    ["GET", "/events"],
    ["DELETE", ""],
  ];
  for (const [method, rest] of routes) {
    for (const query of ["", "?secret=job_wrong", "?jobSecret="])
      assertRefused(await call(server, method, bare + rest + query), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, method, bare + rest, { key: other.key }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await call(server, method, `/api/files/remote-multipart/unknown${rest}?secret=${begun.jobSecret}`), {
      status: 404,
      code: "NOT_FOUND",
    });
  }
  assert.equal((await call(server, "GET", bare, { key: owner.key })).status, 200);
  assert.equal((await call(server, "GET", `${bare}?jobSecret=${begun.jobSecret}`)).status, 200);
  assert.equal((await call(server, "DELETE", bare, { key: owner.key })).status, 200);
});

test("a cancelled job ends at once, closes its connection and leaves nothing", async () => {
  const { key } = await addAccount(server);
  const before = await traces(server);
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
  const begun = await begin(server, { url: `${origin.url}/a` }, key);
  await waitForBytes(server, begun, 600);
  const cancelled = await call<{ data: Job }>(server, "DELETE", pathOf(begun));
  assert.deepEqual([cancelled.status, cancelled.body.data.status], [200, "cancelled"]);
  assert.equal((await call(server, "DELETE", pathOf(begun))).status, 200);
  await until("nothing is left", async () => {
    assert.deepEqual(await traces(server), before);
    return true;
  });
  await until("the connection is closed", () => isClosed);
  assert.equal((await getJob(server, begun)).status, "cancelled");
});

test("what goes wrong is told by the job, and a job that is over cannot be cancelled", async () => {
  const { key } = await addAccount(server);
  await using origin = await startOrigin({
    "/no": (_request, response) => void response.writeHead(403).end(),
    "/page.zip": (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>log in"),
  });
  const failures = { "/no": "REMOTE_REFUSED", "/page.zip": "REMOTE_NOT_A_FILE" };
  for (const [path, errorCode] of Object.entries(failures)) {
    const begun = await begin(server, { url: origin.url + path }, key);
    const job = await waitForEnd(server, begun);
    assert.deepEqual([job.status, job.errorCode, job.fileId, job.sharePath], ["failed", errorCode, null, null]);
    assert.match(job.error ?? "", /^The .{20,}\.$/);
    assertRefused(await call(server, "DELETE", pathOf(begun)), { status: 409, code: "CONFLICT" });
  }
  const refused = [
    [{ url: "nonsense" }, 400, "NO_URL"],
    [{ url: "http://10.0.0.1/" }, 400, "URL_NOT_ALLOWED"],
    [{ url: origin.url, folderId: "6f1c2f3e-0000-4000-8000-000000000000" }, 404, "NOT_FOUND"],
    [{ url: origin.url, direct: true }, 403, "PRO_REQUIRED"],
  ] as const;
  for (const [json, status, code] of refused) {
    const answer: Answer = await call(server, "POST", "/api/files/remote-multipart/init", { json, key });
    assertRefused(answer, { status, code });
  }
});

test("a share that is asked to be protected tells its code when the job is done", async () => {
  const { key } = await addAccount(server);
  await using origin = await startOrigin({ "/a.txt": sendFile({ bytes: Buffer.from("hello") }) });
  const job = await waitForEnd(server, await begin(server, { url: `${origin.url}/a.txt`, protect: true }, key));
  assert.match(job.unlockCode ?? "", /^\w{6}$/);
  assert.match(job.handoffUrl ?? "", /\/h\/ho_/);
  const share = await call(server, "GET", `/api/files/share/${job.shortId}`);
  assert.equal(share.body.unlockRequired, true);
});

test("of one owner, three imports run at once and the others wait", async () => {
  const { key } = await addAccount(server);
  await using origin = await stalled();
  const jobs: Begun[] = [];
  for (let n = 0; n < 4; n++) jobs.push(await begin(server, { url: `${origin.url}/a` }, key));
  const statuses = async (): Promise<string[]> => (await Promise.all(jobs.map((job) => getJob(server, job)))).map(({ status }) => status);
  await until("three are under way", async () => (await statuses()).filter((status) => status === "importing").length === 3);
  assert.equal((await statuses()).filter((status) => status === "queued").length, 1);
  for (const job of jobs.slice(0, 3)) await call(server, "DELETE", pathOf(job));
  await until("the fourth has its turn", async () => (await statuses()).includes("importing"));
  for (const job of jobs.slice(3)) await call(server, "DELETE", pathOf(job));
});
