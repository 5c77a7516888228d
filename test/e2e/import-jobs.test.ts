import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { sendFile, startOrigin } from "../support/origin-server.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { addAccount } from "./support/accounts.ts";
import { type Answer, assertRefused, call, signedUrl } from "./support/api.ts";
import { readEvents, type SentEvent } from "./support/events.ts";
import { type Begun, begin, getJob, type Job, pathOf, stalled, waitForBytes, waitForEnd } from "./support/imports.ts";
import { assertNothingLostOrLeft } from "./support/inside.ts";
import { traces, withDatabase } from "./support/state.ts";

/** `/files/remote-multipart/…`: interface, "Upload and import", "Remote import job" and "Import job status"; decisions, "Remote import". */

const ENV = { FILEHOST_SCANNER: "off", FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8" };
const PART_BYTES = 8 * 1024 * 1024;
let server: TestServer;

before(async () => {
  server = await startServer({ env: ENV });
});
after(() => server[Symbol.asyncDispose]());

/** Parts that are durable, so that a crash right now keeps them. */
const waitForParts = (of: TestServer, parts: number): Promise<true> =>
  until("parts have arrived", () =>
    withDatabase(of, async (db) => (await db.selectFrom("upload_parts").select("part_number").execute()).length >= parts),
  );

async function digestOf(of: TestServer, job: Job): Promise<string> {
  const response = await fetch(await signedUrl(of, job.fileId ?? ""));
  return sha256(Buffer.from(await response.arrayBuffer()));
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

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
  assert.equal(await digestOf(server, job), sha256(bytes));
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

const eventsOf = (begun: Begun, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + pathOf(begun, "/events"), { headers });

const toJob = ({ data }: SentEvent): Job => JSON.parse(data) as Job;

test("events follow a job to its end, at most four a second, and go on where a client stopped", async () => {
  const { key } = await addAccount(server);
  const bytes = randomBytes(400_000);
  let release = (): void => {};
  await using origin = await startOrigin({
    "/slow.bin": (_request, response) => {
      response.writeHead(200, { "content-length": String(bytes.length) });
      let sent = 0;
      const drip = setInterval(() => {
        response.write(bytes.subarray(sent, sent + 1000));
        sent += 1000;
      }, 20);
      release = () => {
        clearInterval(drip);
        response.end(bytes.subarray(sent));
      };
    },
  });
  const begun = await begin(server, { url: `${origin.url}/slow.bin` }, key);
  await waitForBytes(server, begun, 1000);

  const response = await eventsOf(begun);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const startedMs = performance.now();
  const first: SentEvent[] = [];
  for await (const event of readEvents(response)) if (first.push(event) === 5) break;
  assert.ok(performance.now() - startedMs >= 4 * 240);
  assert.ok(first.every(({ name }) => name === undefined));
  assert.deepEqual(Object.keys(toJob(first[0] ?? assert.fail())), Object.keys(await getJob(server, begun)));
  const progress = first.map((event) => toJob(event).bytesDone);
  assert.deepEqual(
    progress,
    [...new Set(progress)].sort((a, b) => a - b),
  );

  const lastSeen = first.at(-1)?.id ?? assert.fail();
  const again = await eventsOf(begun, { "Last-Event-ID": lastSeen });
  release();
  const rest = await Array.fromAsync(readEvents(again));
  assert.ok(rest.every(({ id }) => Number(id) > Number(lastSeen)));
  const end = toJob(rest.at(-1) ?? assert.fail());
  assert.deepEqual([end.status, end.percent, end.bytesDone], ["completed", 100, bytes.length]);
  assert.ok(rest.slice(0, -1).every((event) => toJob(event).status === "importing"));

  const late = await Array.fromAsync(readEvents(await eventsOf(begun)));
  assert.deepEqual(
    late.map((event) => toJob(event).status),
    ["completed"],
  );
  assert.equal((await eventsOf(begun, { "Last-Event-ID": rest.at(-1)?.id ?? "" })).status, 204);
});

test("a server that stops ends its event streams instead of waiting for them", async () => {
  await using own = await startServer({ env: ENV });
  const { key } = await addAccount(own);
  await using origin = await stalled();
  const begun = await begin(own, { url: `${origin.url}/a` }, key);
  await waitForBytes(own, begun, 600);
  const events = Array.fromAsync(readEvents(await fetch(own.url + pathOf(begun, "/events"))));
  const startedMs = performance.now();
  await own.stop();
  assert.ok(performance.now() - startedMs < 10_000);
  assert.ok((await events).every((event) => toJob(event).status === "importing"));
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

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  test(`after ${signal} a job goes on where its parts ended, where the source has ranges`, async () => {
    await using own = await startServer({ env: ENV });
    const { key } = await addAccount(own);
    const bytes = randomBytes(3 * PART_BYTES + 1234);
    const stalls: (number | undefined)[] = [2 * PART_BYTES + 500_000];
    await using origin = await startOrigin({ "/big.bin": sendFile({ bytes, headers: { etag: '"1"' }, stallAfter: () => stalls.shift() }) });
    const begun = await begin(own, { url: `${origin.url}/big.bin` }, key);
    await waitForParts(own, 2);
    await own.restart({ signal });
    const job = await waitForEnd(own, begun);
    assert.deepEqual([job.status, job.bytesDone], ["completed", bytes.length], JSON.stringify(job));
    assert.equal(await digestOf(own, job), sha256(bytes));
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
  await using own = await startServer({ env: ENV });
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
    assert.equal(await digestOf(own, job), sha256(changed));
  }
  const { reservedBytes, usedBytes, files } = await traces(own);
  assert.deepEqual([reservedBytes, usedBytes, files], [0, 2 * changed.length, 2]);
  await assertNothingLostOrLeft(own);
});

test("a job that is older than a day is given up", async () => {
  await using own = await startServer({ env: ENV });
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
