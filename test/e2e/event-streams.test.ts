import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Origin, sendFile, startOrigin } from "../support/origin-server.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { addAccount } from "./support/accounts.ts";
import { fromAddress } from "./support/agents.ts";
import { call } from "./support/api.ts";

const MOST = 10;
const ENV = {
  FILEHOST_SCANNER: "off",
  FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
  FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
  FILEHOST_RATE_LIMITS: "on",
};

/** decisions, "Remote import" and "Accounts, keys, tiers". */
describe("how many event streams a caller has open", () => {
  let server: TestServer;
  let origin: Origin;
  /** The events of an import that goes on until it is cancelled. */
  let eventsPath: string;
  let jobPath: string;

  before(async () => {
    origin = await startOrigin({ "/slow.txt": sendFile({ bytes: Buffer.from("some bytes"), stallAfter: () => 5 }) });
    server = await startServer({ env: ENV });
    ({ eventsPath, jobPath } = await begin());
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  async function begin() {
    const answer = await call<{ data: { jobId: string; jobSecret: string } }>(server, "POST", "/api/files/remote-multipart/init", {
      json: { url: `${origin.url}/slow.txt` },
      headers: fromAddress("198.18.0.9"),
    });
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    const { jobId, jobSecret } = answer.body.data;
    const path = `/api/files/remote-multipart/${jobId}`;
    return { eventsPath: `${path}/events?secret=${jobSecret}`, jobPath: `${path}?secret=${jobSecret}` };
  }

  interface Stream {
    readonly response: Response;
    leave(): void;
  }

  async function open(headers: Record<string, string>, path = eventsPath): Promise<Stream> {
    const controller = new AbortController();
    const response = await fetch(server.url + path, { headers, signal: controller.signal });
    return { response, leave: () => controller.abort() };
  }

  const openMany = async (count: number, headers: Record<string, string>, path?: string): Promise<Stream[]> =>
    await Promise.all(Array.from({ length: count }, () => open(headers, path)));
  const statuses = (streams: readonly Stream[]): number[] => streams.map(({ response }) => response.status).sort();
  const leaveAll = (streams: readonly Stream[]): void => {
    for (const { leave } of streams) leave();
  };

  test("ten of an address at once; the next is 429 and says when to come again; another address has its own", async () => {
    const headers = fromAddress("203.0.113.1");
    const streams = await openMany(MOST + 5, headers);
    assert.deepEqual(statuses(streams), [...Array(MOST).fill(200), ...Array(5).fill(429)]);
    const { response } = streams.find(({ response }) => response.status === 429) ?? assert.fail();
    const { errorCode, retryAfterSeconds } = (await response.json()) as { errorCode: string; retryAfterSeconds: number };
    assert.equal(errorCode, "RATE_LIMITED");
    assert.equal(response.headers.get("retry-after"), String(retryAfterSeconds));
    for (const name of ["ratelimit", "ratelimit-policy", "x-ratelimit-limit"]) assert.ok(response.headers.has(name), name);
    // Everything else is open to that caller.
    assert.equal((await call(server, "GET", jobPath, { headers })).status, 200);
    const other = await open(fromAddress("203.0.113.2"));
    assert.equal(other.response.status, 200);
    leaveAll([...streams, other]);
  });

  test("a client that goes away makes room", async () => {
    // Asks often, so it needs a rate that bears it.
    const { key } = await addAccount(server, { tier: "pro" });
    const headers = { Authorization: `Bearer ${key}` };
    const streams = await openMany(MOST, headers);
    assert.deepEqual(statuses(streams), Array(MOST).fill(200));
    assert.equal((await open(headers)).response.status, 429);
    leaveAll(streams);
    const again: Stream[] = [];
    await until("there is room for as many again", async () => {
      const next = await open(headers);
      if (next.response.status === 200) again.push(next);
      return again.length === MOST;
    });
    leaveAll(again);
  });

  test("a stream that ends makes room", async () => {
    const headers = fromAddress("203.0.113.4");
    const { eventsPath: path, jobPath: job } = await begin();
    const streams = await openMany(MOST, headers, path);
    assert.deepEqual(statuses(streams), Array(MOST).fill(200));
    assert.equal((await call(server, "DELETE", job, { headers })).status, 200);
    await Promise.all(streams.map(({ response }) => response.text()));
    const next = await openMany(MOST, headers);
    assert.deepEqual(statuses(next), Array(MOST).fill(200));
    leaveAll(next);
  });

  test("ten of an account over all its keys", async () => {
    const { key } = await addAccount(server);
    const made = await call<{ data: { key: string } }>(server, "POST", "/api/keys", { key, json: { scope: "files_read" } });
    const streams = [
      ...(await openMany(MOST / 2, { Authorization: `Bearer ${key}` })),
      ...(await openMany(MOST / 2 + 1, { Authorization: `Bearer ${made.body.data.key}` })),
    ];
    assert.deepEqual(statuses(streams), [...Array(MOST).fill(200), 429]);
    leaveAll(streams);
  });

  test("of an account, wherever its key is used; an unknown job and HEAD take no place", async () => {
    const { key } = await addAccount(server);
    const from = (host: number) => ({ ...fromAddress(`203.0.113.${host}`), Authorization: `Bearer ${key}` });
    for (let n = 0; n < MOST + 2; n += 1) {
      assert.equal((await fetch(server.url + eventsPath, { method: "HEAD", headers: from(5) })).status, 200);
      assert.equal((await open(from(5), "/api/files/remote-multipart/unknown/events")).response.status, 404);
    }
    const streams = [...(await openMany(MOST / 2, from(5))), ...(await openMany(MOST / 2 + 1, from(6)))];
    assert.deepEqual(statuses(streams), [...Array(MOST).fill(200), 429]);
    const keyless = await open(fromAddress("203.0.113.5"));
    assert.equal(keyless.response.status, 200);
    leaveAll([...streams, keyless]);
  });
});
